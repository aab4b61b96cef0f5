// What a run asks of a person: leave for an action, or which result is right.
import { post } from "../api.js";
import { plural } from "../format.js";
import { html, Problem, useSettled, useState } from "../ui.js";
import { live } from "../live.js";

/** One thing that is asked. Nothing here takes the focus: what is being typed is no answer. */
export function Asks({ run, asks, ask }) {
  return asks.type === "approval" ? html`<${Approval} run=${run} asks=${asks} ask=${ask} />` : html`<${Question} run=${run} asks=${asks} />`;
}

/** Leave for an action. One whose run has ended is stored: a yes lets the request be asked again. */
function Approval({ run, asks, ask }) {
  const settled = useSettled(asks.id);
  const [sent, setSent] = useState(false);
  const [problem, setProblem] = useState(null);
  const answer = (approve) => {
    setSent(true);
    setProblem(null);
    if (!asks.stored) return live.send({ approve, id: asks.id, run: run.id });
    return post(`/api/approvals/${asks.id}`, { given: approve }).then(
      () => approve && ask(run.text, run.files),
      (error) => { setSent(false); setProblem(error); },
    );
  };
  return html`<div class="asks card" role="group" aria-label="Your decision">
    <h2>${asks.words?.question || "Your decision is needed"}</h2>
    ${asks.words ? html`<${ActionWords} of=${asks.words} whole=${asks.whole} />` : html`<${ActionText} text=${asks.text} whole=${asks.whole} />`}
    ${problem && html`<${Problem} error=${problem} />`}
    <div class="row">
      <button disabled=${sent} onClick=${() => answer(false)}>Do not allow</button>
      <button disabled=${sent || !settled} onClick=${() => answer(true)}>${asks.stored ? "Allow once and ask again" : "Allow once"}</button>
    </div>
  </div>`;
}

/** What would happen, in sentences, and with which values. */
export function ActionWords({ of, whole }) {
  const cut = of.values.some((one) => one.more > 0);
  return html`<p>${of.consequences.join(" ")}</p>
    ${of.description && html`<p>The tool says of itself: <q class="verbatim" dir="ltr">${of.description}</q></p>`}
    ${of.values.length > 0 && html`<p>It gets ${plural(of.values.length, "value")}:</p>
      <dl class="values">${of.values.map((one) => html`<div><dt>${one.name}</dt><dd class="verbatim" dir="ltr">${one.value}${one.more > 0 && html`<em> … ${plural(one.more, "more character")}</em>`}</dd></div>`)}</dl>`}
    ${cut && whole && html`<${Whole} text=${whole} />`}`;
}

const Whole = ({ text }) => html`<details><summary>All of it (${plural(text.length, "character")})</summary><pre tabindex="0" dir="ltr">${text}</pre></details>`;

/** What an action is, as the server wrote it out, and all that it gets. */
export function ActionText({ text, whole }) {
  return html`<p class="verbatim" dir="ltr">${text}</p>
    ${whole && html`<${Whole} text=${whole} />`}`;
}

function Question({ run, asks }) {
  const settled = useSettled(asks.id);
  const choose = (choice) => live.send({ choice, id: asks.id, run: run.id });
  return html`<div class="asks card" role="group" aria-label="Question">
    <h2>Which one is right?</h2>
    <p dir="auto">${asks.text}</p>
    <div class="choices">
      ${asks.choices.map((text, at) => html`<button disabled=${!settled} onClick=${() => choose(at)}><code>${text}</code></button>`)}
      <button onClick=${() => choose(-1)}>None of them, or I do not know</button>
    </div>
  </div>`;
}
