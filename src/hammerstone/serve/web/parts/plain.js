// Text of models, tools and files as text: nothing in it can act, and nothing in it is hidden.
import { bytes, shortened } from "../format.js";
import { html, useState } from "../ui.js";
import { keep } from "../api.js";

const MOST = 20_000; // characters that are shown at once

/** Control codes (such as those of terminals, or those that turn text around) as signs that can be seen. */
export const seen = (text) => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g, (one) => {
  const code = one.charCodeAt(0);
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "\u2421" : `\\u${code.toString(16)}`;
});

export const asText = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 1));

/** A long text: its beginning, all of it on demand, or as a file. */
export function LongText({ text, name = "result.txt", code = false }) {
  const [whole, setWhole] = useState(false);
  const cut = text.length > MOST;
  const shown = seen(cut && !whole ? shortened(text, MOST) : text);
  return html`<div>
    <pre tabindex="0" class=${`result ${code ? "" : "flowing"}`} dir=${code ? "ltr" : "auto"}>${shown}</pre>
    ${cut && html`<p class="row hint"><span>${whole ? "All of it" : "Only the beginning"} is shown (${bytes(new Blob([text]).size)} in all).</span>
      <button onClick=${() => setWhole(!whole)}>${whole ? "Show less" : "Show all"}</button>
      <button onClick=${() => keep(new Blob([text], { type: "text/plain" }), name)}>Save as a file</button></p>`}
  </div>`;
}
