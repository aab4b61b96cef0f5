// What happens, step by step, in words a person follows; details on demand.
import { html, percent, useState } from "../ui.js";

const STAGES = {
  searching: "Search",
  tool_found: "Found",
  planning: "Plan",
  synthesizing: "Solve",
  solution: "Solutions",
  answer: "So far",
  proof: "Proof",
  correction: "Correction",
  test_written: "Tests",
  candidate: "Candidates",
  verifying: "Verify",
  executing: "Run",
  cache_hit: "Known",
  repairing: "Repair",
  approval_needed: "Approval",
  synthesizing_response: "Answer",
  done: "Done",
  failed: "Failed",
};

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

export function Timeline({ steps, run, opened = null }) {
  const going = !run.answer && !run.error;
  const [open, setOpen] = useState(opened);
  const shown = open ?? going;
  if (!steps.length) return going ? html`<p class="working">Starting …</p>` : null;
  const all = stages(steps);
  const last = steps.at(-1);
  return html`<details class="timeline" open=${shown} onToggle=${(event) => setOpen(event.target.open)}>
    <summary>
      ${going ? html`<span class="working">${last.text}</span>` : [...new Set(all.map((stage) => STAGES[stage.kind] || stage.kind))].join(" › ")}
    </summary>
    <ol>
      ${all.map(
        (stage, at) => html`<li class=${`stage of-${stage.kind} ${going && at === all.length - 1 ? "now" : ""}`}>
          <strong>${STAGES[stage.kind] || stage.kind}</strong>
          <div>${stage.steps.slice(-12).map((step) => html`<${Step} step=${step} />`)}</div>
        </li>`,
      )}
    </ol>
  </details>`;
}

function Step({ step }) {
  const data = step.data || {};
  return html`<p class="step">
    ${step.text}
    ${typeof data.confidence === "number" && html` <meter min="0" max="1" value=${data.confidence} title=${percent(data.confidence)} aria-label="confidence"></meter>`}
    ${Array.isArray(data.behaviours) && html`<${Behaviours} of=${data.behaviours} />`}
  </p>`;
}

/** How the candidates fall into behaviours: one bar each, as long as its share. */
function Behaviours({ of }) {
  return html`<span class="behaviours">
    ${of.map((one) => {
      const share = typeof one === "number" ? one : one.share;
      return html`<span class="bar" style=${`flex:${Math.max(share, 0.03)}`} title=${`${percent(share)} of the candidates behave like this`}>${percent(share)}</span>`;
    })}
  </span>`;
}
