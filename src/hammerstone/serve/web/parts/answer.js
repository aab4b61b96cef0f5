// An answer: what was asked for first, then the call behind it, how sure it is, and what can be done with it.
import { percent, plural, shortened } from "../format.js";
import { html, useState } from "../ui.js";
import { Clock } from "./clock.js";
import { Feedback } from "./feedback.js";
import { How } from "./how.js";
import { MadeFile } from "./made.js";
import { Markdown } from "./markdown.js";
import { asText, seen } from "./plain.js";
import { Result } from "./result.js";
import { asCsv } from "./table.js";

if (!document.querySelector("link[data-chat]")) {
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/web/chat.css" });
  link.dataset.chat = "";
  document.head.append(link);
}

const isEmpty = (value) => value === null || value === undefined;
const brief = (value) => shortened(typeof value === "string" ? value : JSON.stringify(value), 80);
const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** The words of an answer in parts: the value, what has to be known of it, and prose about it. */
export function parted({ text = "", result, correction, files = [] }) {
  if (correction) return { value: isEmpty(result) ? text : "", notes: [], prose: "" };
  const value = typeof result === "string" && text.startsWith(result) ? result : isEmpty(result) ? "" : text.split(/\n\n|\n\(/)[0];
  const names = files.map((file) => file.name).join(", ");
  const rest = text.slice(isEmpty(result) && names && text.startsWith(names) ? names.length : value.length);
  const notes = [...rest.matchAll(/^\((.*)\)$/gm)].map((found) => found[1]).filter((note) => !note.startsWith("unsure"));
  return { value, notes, prose: rest.replace(/^\((.*)\)$/gm, "").trim() };
}

/** The value that solutions agree on so far, or the words that are being written. */
export function AnswerSoFar({ run }) {
  const last = run.steps.filter((step) => step.kind === "answer").at(-1);
  if (!last && !run.words) return null;
  const data = last?.data || {};
  return html`<div class="answer card sofar">
    ${last && html`<${Result} value=${data.value} words=${last.text} />
      <p class=${`sureness ${data.sureness}`}><strong>${capital(data.sureness || "so far")}</strong> ${percent(data.confidence)}: ${data.why}. ${data.settled ? "Finding out how sure this is." : "Checking further."}</p>`}
    ${run.words && html`<${Markdown} text=${run.words} />`}
  </div>`;
}

export function AnswerCard({ run, ask }) {
  const answer = run.answer;
  const [how, setHow] = useState(false);
  const files = answer.files || [];
  const { value, notes, prose } = parted(answer);
  const named = files.some((file) => String(answer.result).endsWith(file.name));
  const failed = answer.status === "failed";
  const waits = failed && run.asks?.some((one) => one.stored); // the words name a command; here there are buttons
  return html`<div class=${`answer card ${answer.status || ""}`}>
    ${files.map((file) => html`<${MadeFile} file=${file} key=${file.id} />`)}
    ${!failed && !isEmpty(answer.result) && !named && html`${files.length > 0 && html`<p class="soft">It also returned:</p>`}<${Result} value=${answer.result} words=${value} />`}
    ${prose && (failed ? html`<p class="words" dir="auto">${waits ? "This was not done yet: it waits for your decision below." : seen(shortened(prose, 4000))}</p>` : html`<${Markdown} text=${prose} />`)}
    ${answer.correction && html`<p class="note correction">Corrected: it was <code>${seen(brief(answer.correction.before))}</code>. The tool was proved since and gives this value.</p>`}
    ${notes.map((note) => html`<p class="note">${capital(note)}.</p>`)}
    <${Call} answer=${answer} />
    ${!answer.correction && html`<${Sureness} answer=${answer} />`}
    <${Proof} run=${run} />
    <div class="actions row">
      ${!failed && html`<${Copy} answer=${answer} value=${value} prose=${prose} />`}
      ${!failed && answer.status !== "question" && !isEmpty(answer.result) && answer.run_id && html`<${Feedback} run=${answer.run_id} said=${run.feedback} />`}
      ${run.text && answer.run_id && answer.status !== "question" && html`<button onClick=${() => ask(run.text, run.files, { fresh: true })}>Try again</button>`}
      ${answer.tool && !failed && html`<a class="button" href=${`#/library/${encodeURIComponent(answer.tool)}/try`}>Use as a tool</a>`}
      ${answer.run_id && html`<button aria-expanded=${how} onClick=${() => setHow(!how)}>Show how</button>`}
    </div>
    ${how && html`<${How} answer=${answer} steps=${run.steps} />`}
  </div>`;
}

/** The call in one line; what nobody said is marked in it and explained below. */
function Call({ answer }) {
  if (!answer.call) return null;
  const assumed = (answer.arguments || []).filter((one) => one.assumed);
  return html`<div class="call">
    <p><code dir="ltr">${marked(seen(answer.call), assumed)}</code></p>
    ${assumed.length > 0 && html`<ul class="assumed">${assumed.map((one) => html`<li><mark>${one.name}=${seen(brief(one.value))}</mark> ${one.note}</li>`)}</ul>`}
  </div>`;
}

function marked(call, assumed) {
  let parts = [call];
  for (const one of assumed) {
    const text = `${one.name}=${seen(one.value)}`;
    parts = parts.flatMap((part) => {
      const at = typeof part === "string" ? part.indexOf(text) : -1;
      return at < 0 ? [part] : [part.slice(0, at), html`<mark title=${one.note}>${text}</mark>`, part.slice(at + text.length)];
    });
  }
  return parts;
}

/** How sure the answer is and why, in one line; the other results where solutions disagreed. */
function Sureness({ answer }) {
  if (!answer.sureness) return null;
  const others = answer.sureness === "sure" ? [] : answer.alternatives || [];
  return html`<p class=${`sureness ${answer.sureness}`}><strong>${capital(answer.sureness)}</strong> <span title="the chance that this answer is right">${percent(answer.confidence)}</span>${answer.why ? `: ${answer.why}` : ""}${answer.cached ? "; answered before" : ""}</p>
    ${others.length > 0 && html`<div class="others"><p>Other results that came out:</p><ul>${others.map((one) => html`<li><code dir="auto">${seen(brief(one.value))}</code> in ${one.agree} of ${plural(answer.solutions, "solution")}</li>`)}</ul></div>`}`;
}

/** How far the proof of the tool behind the answer is, with a clock while it goes on. */
function Proof({ run }) {
  const { proof, tool, version, tool_confidence } = run.answer;
  const link = tool && html`<a href=${`#/library/${encodeURIComponent(tool)}`}>${tool} v${version}</a>`;
  if (proof === "pending") {
    return html`<p class="proof pending">${run.progress
      ? html`<span class="working">Proving the tool behind it</span> <span>${run.progress.done} of at most ${plural(run.progress.most, "check")}, <${Clock} began=${run.progress.began} /></span>`
      : "The tool behind it will be proved as soon as nothing else is being answered."}</p>`;
  }
  if (proof === "proved") return html`<p class="proof proved"><strong>Proved</strong> ${link}${isEmpty(tool_confidence) ? "" : `, ${percent(tool_confidence)} sure to be right in general`}</p>`;
  if (proof === "unproved") return html`<p class="proof unproved"><strong>Not proved</strong> ${link || "No tool was kept: the evidence was not enough."}</p>`;
  return tool ? html`<p class="proof">${link}</p>` : null;
}

function Copy({ answer, value, prose }) {
  const [done, setDone] = useState("");
  const copy = async () => {
    const rows = Array.isArray(answer.result) && answer.result.length && answer.result.every((row) => row && typeof row === "object" && !Array.isArray(row));
    const text = isEmpty(answer.result) ? prose : rows ? asCsv(answer.result, [...new Set(answer.result.flatMap(Object.keys))]) : value || asText(answer.result);
    setDone((await copied(text)) ? "Copied" : "Not copied: this browser does not allow it");
    setTimeout(() => setDone(""), 2000);
  };
  return html`<button onClick=${copy}>${done || "Copy"}</button><span class="unseen" role="status">${done}</span>`;
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

