// What happens, step by step, in words a person follows; folded away once there is an answer.
import { duration, percent, plural } from "../format.js";
import { html, useEffect, useState } from "../ui.js";
import { Clock } from "./clock.js";
import { isGoing } from "./conversation.js";

const STAGES = {
  searching: "Search",
  tool_found: "Tool found",
  planning: "Plan",
  synthesizing: "Solve",
  solution: "Solutions",
  answer: "Result so far",
  proof: "Proof",
  correction: "Correction",
  test_written: "Tests",
  candidate: "Programs",
  verifying: "Check",
  executing: "Run",
  cache_hit: "Known",
  repairing: "Repair",
  approval_needed: "Your decision",
  refused: "Not allowed",
  synthesizing_response: "Write",
};
const SHOWN = 12; // of one stage

/** Consecutive steps of one kind are one stage. */
function stages(steps) {
  const found = [];
  for (const step of steps) {
    const last = found.at(-1);
    if (last && last.kind === step.kind) last.steps.push(step);
    else found.push({ kind: step.kind, steps: [step] });
  }
  return found.filter((stage) => stage.kind !== "done" && stage.kind !== "failed");
}

/** With a capital letter, unless it begins with a name such as count_vowels. */
const sentence = (text) => (text && !/^\w*_/.test(text) ? text[0].toUpperCase() + text.slice(1) : text || "");

/** What is being done now, and for how long. */
export function Working({ run, waits }) {
  const last = run.steps.at(-1);
  const step = !last ? "Starting" : last.kind === "answer" ? "Checking the result further" : sentence(last.text.split("\n")[0]);
  const now = waits ? "Waiting for the connection" : run.asks.length ? "Waiting for your decision" : step;
  return html`<p class="doing"><span class="working">${now}</span> <${Clock} began=${run.began} /></p>`;
}

export function Timeline({ run, steps = run.steps, opened = false }) {
  const going = isGoing(run);
  const [open, setOpen] = useState(going || opened);
  useEffect(() => {
    if (!opened) setOpen(going);
  }, [going]);
  const all = stages(steps);
  if (!all.length) return null;
  const names = [...new Set(all.map((stage) => STAGES[stage.kind] || stage.kind))];
  const took = run.answer?.cost?.seconds;
  // The browser's own toggling would be undone by the next event, so the state is kept here.
  const turn = (event) => { event.preventDefault(); setOpen(!open); };
  return html`<details class="timeline" open=${open}>
    <summary onClick=${turn}>${going ? plural(steps.length, "step") : `Steps: ${names.join(" › ")}${took ? `, ${duration(took)}` : ""}`}</summary>
    <ol>
      ${all.map(
        (stage, at) => html`<li class=${`stage of-${stage.kind} ${going && at === all.length - 1 ? "now" : ""}`}>
          <strong>${STAGES[stage.kind] || stage.kind}</strong>
          <div>
            ${stage.steps.length > SHOWN && html`<p class="step">${plural(stage.steps.length - SHOWN, "earlier step")}</p>`}
            ${stage.steps.slice(-SHOWN).map((step) => html`<${Step} step=${step} />`)}
          </div>
        </li>`,
      )}
    </ol>
  </details>`;
}

function Step({ step }) {
  const data = step.data || {};
  return html`<p class="step" dir="auto">
    ${sentence(step.text)}
    ${typeof data.confidence === "number" && html` <meter min="0" max="1" value=${data.confidence} title=${percent(data.confidence)} aria-label="how sure"></meter>`}
    ${Array.isArray(data.behaviours) && html`<${Behaviours} of=${data.behaviours} />`}
  </p>`;
}

/** How the programs fall into groups that behave alike: one bar each, as long as its share. */
function Behaviours({ of }) {
  return html`<span class="behaviours">
    ${of.map((one) => {
      const share = typeof one === "number" ? one : one.share;
      return html`<span class="bar" style=${`flex:${Math.max(share, 0.03)}`} title=${`${percent(share)} of the programs behave like this`}>${percent(share)}</span>`;
    })}
  </span>`;
}
