// A question about an experimental tool, quietly under an answer: one a day at most.
import { post } from "../api.js";
import { html, Problem, useEffect, useRef, useState } from "../ui.js";

/** Looked up when the answer is on the page; most days there is nothing to ask. */
export function ToolQuestion() {
  const [asked, setAsked] = useState(null);
  useEffect(() => {
    // Whoever may not say what is right (a guest) is asked nothing.
    post("/api/questions").then((found) => setAsked(found.question), () => {});
  }, []);
  return asked && html`<${QuestionCard} asked=${asked} />`;
}

/** The two results, a field for another one, and ways to leave it. Nothing here takes the focus. */
function QuestionCard({ asked }) {
  const [other, setOther] = useState("");
  const [busy, setBusy] = useState(false);
  const [told, setTold] = useState("");
  const [problem, setProblem] = useState(null);
  const [gone, setGone] = useState(false);
  const reply = (body) => {
    setBusy(!body.later);
    setProblem(null);
    post(`/api/questions/${encodeURIComponent(asked.tool)}`, body).then(
      (done) => setTold(done.text),
      (error) => { setBusy(false); setProblem(error); },
    );
  };
  const type = (event) => {
    event.preventDefault();
    if (other.trim()) reply({ value: other });
  };
  const box = useRef(null);
  useEffect(() => box.current?.scrollIntoView({ block: "nearest" }), [told, problem]);
  if (gone) return null;
  const close = html`<button class="quiet close" aria-label="Close" title="Close; it may come again in some days" onClick=${() => setGone(true)}>×</button>`;
  if (told) return html`<aside class="toolquestion card" role="status" ref=${box}>${close}<p>${told}</p></aside>`;
  return html`<aside class="toolquestion card" aria-label="A question about a tool" ref=${box}>
    ${close}
    <p>What should <code>${asked.call}</code> give?</p>
    <div class="choices">
      ${asked.choices.map((text, at) => html`<button disabled=${busy} onClick=${() => reply({ choice: at + 1 })}><code>${text}</code></button>`)}
      <form class="row" onSubmit=${type}>
        <input aria-label="Something else" placeholder="something else" maxlength="10000" value=${other} disabled=${busy} onInput=${(event) => setOther(event.target.value)} />
        ${other.trim() && html`<button disabled=${busy}>Say so</button>`}
      </form>
    </div>
    ${problem && html`<${Problem} error=${problem} />`}
    ${busy
      ? html`<p class="hint working" role="status">examining ${asked.tool} again</p>`
      : html`<p class="hint"><span>It would help to prove <a href=${`#/library/${encodeURIComponent(asked.tool)}`}>${asked.tool}</a>.</span>
          <button class="link" onClick=${() => reply({ later: "some_day" })}>I do not know</button>
          <button class="link" onClick=${() => reply({ later: "never" })}>Do not ask this again</button></p>`}
  </aside>`;
}
