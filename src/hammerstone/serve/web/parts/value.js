// A value of any kind as text that people read: no escapes, no brackets, long ones cut.
import { html, useState } from "../ui.js";

const MOST = 20_000; // characters shown at first
const MARKS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;
const BIDI = /[\u202a-\u202e\u2066-\u2069]/g;

/** Text with its control characters made visible: nothing in it moves a cursor or turns a line round. */
export const visible = (text) =>
  String(text)
    .replace(MARKS, (mark) => (mark.charCodeAt(0) < 32 ? String.fromCharCode(0x2400 + mark.charCodeAt(0)) : "␡"))
    .replace(BIDI, "�");

const isRecord = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isPlain = (value) => value === null || typeof value !== "object";
const single = (value) => (value === null ? "nothing" : typeof value === "string" && value === "" ? "empty text" : String(value));

/** Records as `name: value` lines, lists as `- value` lines, text as it is. */
export function plain(value, pad = "") {
  if (typeof value === "string") return value.includes("\n") ? value.split("\n").map((line) => pad + line).join("\n") : pad + value;
  if (isPlain(value)) return pad + single(value);
  if (Array.isArray(value)) {
    if (!value.length) return `${pad}empty list`;
    if (value.every(isPlain) && JSON.stringify(value).length < 100) return `${pad}${value.map(single).join(", ")}`;
    return value.map((one) => `${pad}- ${plain(one, `${pad}  `).trimStart()}`).join("\n");
  }
  const names = Object.entries(value);
  if (!names.length) return `${pad}nothing`;
  return names
    .map(([name, one]) => {
      const short = isPlain(one) && !String(one).includes("\n");
      const list = Array.isArray(one) && one.every(isPlain) && JSON.stringify(one).length < 100;
      return short || list ? `${pad}${name}: ${plain(one)}` : `${pad}${name}:\n${plain(one, `${pad}  `)}`;
    })
    .join("\n");
}

/** Text in a box of its own; more of it on demand. */
export function Text({ of, about }) {
  const [all, setAll] = useState(false);
  const shown = visible(of);
  const cut = !all && shown.length > MOST;
  return html`<pre tabindex="0" class="text" dir="auto" role="region" aria-label=${about}>${cut ? shown.slice(0, MOST) : shown}</pre>
    ${cut && html`<button class="link" onClick=${() => setAll(true)}>Show all ${shown.length.toLocaleString("en")} characters</button>`}`;
}

const ROLES = { system: "Instructions", user: "Asked", assistant: "Said before" };
const isMessages = (value) => Array.isArray(value) && value.length > 0 && value.every((one) => isRecord(one) && "role" in one && "content" in one);

/** What was said to a model, or what it said: each message under who said it. */
export function Value({ of, about, replies }) {
  if (!isMessages(of)) return html`<${Text} of=${plain(of)} about=${about} />`;
  const name = (one, at) => (replies ? (of.length > 1 ? `Reply ${at + 1} of ${of.length}` : "Reply") : ROLES[one.role] || one.role);
  return html`<div class="messages">${of.map((one, at) => html`<section class=${`message ${one.role}`}>
    <h4>${name(one, at)}${one.finish_reason === "length" ? html` <span class="note">cut off: it reached its most tokens</span>` : ""}</h4>
    <${Text} of=${plain(one.content)} about=${name(one, at)} /></section>`)}</div>`;
}
