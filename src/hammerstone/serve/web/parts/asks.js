// What a run asks of a person: leave for an action, or which result is right.
import { live } from "../live.js";
import { html, useSettled, useState } from "../ui.js";

/** One thing that is asked. Nothing here takes the focus: what is being typed is no answer. */
export function Asks({ run, asks }) {
  return asks.type === "approval" ? html`<${Approval} run=${run} asks=${asks} />` : html`<${Question} run=${run} asks=${asks} />`;
}

function Approval({ run, asks }) {
  const settled = useSettled(asks.id);
  const [sent, setSent] = useState(false);
  const answer = (approve) => {
    setSent(true);
    live.send({ approve, id: asks.id, run: run.id });
  };
  return html`<div class="asks card" role="group" aria-label="Approval">
    <h2>May this happen?</h2>
    <${ActionText} text=${asks.text} whole=${asks.whole} />
    <div class="row">
      <button disabled=${sent} onClick=${() => answer(false)}>Refuse</button>
      <button disabled=${sent || !settled} onClick=${() => answer(true)}>Allow</button>
    </div>
  </div>`;
}

/** What an action is, as the server wrote it out, and all that it gets. */
export function ActionText({ text, whole }) {
  return html`<p class="verbatim" dir="ltr">${text}</p>
    ${whole && html`<details><summary>All of it (${whole.length.toLocaleString("en")} characters)</summary><pre tabindex="0" dir="ltr">${whole}</pre></details>`}`;
}

function Question({ run, asks }) {
  const settled = useSettled(asks.id);
  const choose = (choice) => live.send({ choice, id: asks.id, run: run.id });
  return html`<div class="asks card" role="group" aria-label="Question">
    <h2>Which one is right?</h2>
    <p>${asks.text}</p>
    <div class="choices">
      ${asks.choices.map((text, at) => html`<button disabled=${!settled} onClick=${() => choose(at)}><code>${text}</code></button>`)}
      <button onClick=${() => choose(-1)}>Neither, or I do not know</button>
    </div>
  </div>`;
}
