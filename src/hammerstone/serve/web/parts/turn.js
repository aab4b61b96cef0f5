// One request and what came of it: the message, the steps, what is asked, the answer.
import { get } from "../api.js";
import { live } from "../live.js";
import { html, Problem, useLayoutEffect, useRef, useState } from "../ui.js";
import { AnswerCard, AnswerSoFar } from "./answer.js";
import { Asks } from "./asks.js";
import { isGoing } from "./conversation.js";
import { ToolQuestion } from "./questions.js";
import { Timeline, Working } from "./timeline.js";

export function Turn({ run, ask }) {
  const going = isGoing(run);
  return html`<article class="exchange" aria-label="Request">
    <${Message} run=${run} ask=${ask} />
    ${going && html`<${Working} run=${run} waits=${live.state === "lost"} />`}
    ${!run.steps.length && !going && run.id ? html`<${Earlier} run=${run} />` : html`<${Timeline} run=${run} />`}
    ${going && html`<${AnswerSoFar} run=${run} />`}
    ${run.answer && html`<${AnswerCard} run=${run} ask=${ask} />`}
    ${run.error && html`<div class="answer card failed"><${Problem} error=${plainly(run.error)} again=${run.text ? () => ask(run.text, run.files) : null} /></div>`}
    ${run.asks.map((one) => html`<${Asks} run=${run} asks=${one} ask=${ask} key=${one.id} />`)}
    ${run.fresh && html`<${ToolQuestion} />`}
  </article>`;
}

const plainly = (error) => (error.code === "cancelled" ? { ...error, message: "You stopped this request." } : error);

/** What was asked, with its files; it can be changed and sent again. */
function Message({ run, ask }) {
  const [text, setText] = useState(null);
  const box = useRef(null);
  const edits = text !== null;
  useLayoutEffect(() => {  // before anybody can type: later it would move the cursor away
    box.current?.focus();
    box.current?.setSelectionRange(box.current.value.length, box.current.value.length);
  }, [edits]);
  const send = (event) => {
    event.preventDefault();
    if (!text.trim()) return;
    ask(text.trim(), run.files);
    setText(null);
  };
  const keyed = (event) => {
    if (event.key === "Escape") setText(null);
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) send(event);
  };
  if (edits) {
    return html`<form class="asked edits" onSubmit=${send}>
      <textarea ref=${box} dir="auto" aria-label="Change the request" value=${text} onInput=${(event) => setText(event.target.value)} onKeyDown=${keyed}></textarea>
      <div class="row"><button type="button" onClick=${() => setText(null)}>Cancel</button><button class="primary" disabled=${!text.trim()}>Send as a new request</button></div>
    </form>`;
  }
  return html`<div class="sent">
    <p class="asked" dir="auto">${run.text}</p>
    ${run.files.length > 0 && html`<p class="files" aria-label="Files given">${run.files.map((name) => html`<span class="file given">${name}</span>`)}</p>`}
    ${run.text && html`<button class="quiet edit" onClick=${() => setText(run.text)}>Edit</button>`}
  </div>`;
}

/** The steps of a run that is over, fetched when somebody wants to see them. */
function Earlier({ run }) {
  const [steps, setSteps] = useState(null);
  const [problem, setProblem] = useState(null);
  const load = () => get(`/api/runs/${run.id}`).then((found) => setSteps(found.messages.filter((one) => one.type === "agent_event" && !one.event.data?.piece).map((one) => one.event)), setProblem);
  if (problem) return html`<${Problem} error=${problem} />`;
  if (steps) return html`<${Timeline} run=${run} steps=${steps} opened=${true} />`;
  return html`<p class="timeline"><button class="link" onClick=${load}>Steps</button></p>`;
}
