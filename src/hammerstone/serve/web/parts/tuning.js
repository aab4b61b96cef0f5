// Numbers of policies that can be tuned, what was tried, and what came of it.
import { get, post } from "../api.js";
import { Loaded, Status, useLoaded, when, Wide } from "./pieces.js";
import { html, Problem, useState } from "../ui.js";

const values = (of) => Object.entries(of || {}).map(([name, value]) => `${name.replaceAll("_", " ")} ${value}`).join(", ");

export function Tuning({ changed }) {
  const [round, setRound] = useState(0);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const [done, setDone] = useState(null);
  const tuning = useLoaded(() => get("/api/tuning"), `tuning ${round}`);
  const run = (dry) => {
    setBusy(true);
    setError(null);
    post("/api/tuning", { dry_run: dry })
      .then((rows) => {
        setDone({ rows, dry });
        setRound(round + 1);
        if (!dry) changed();
      }, setError)
      .finally(() => setBusy(false));
  };
  return html`<h2>Better numbers</h2>
    <p class="hint">Values are searched on earlier decisions and judged on later ones. What surely helps is proposed; otherwise nothing changes.</p>
    <p class="row"><button disabled=${busy} onClick=${() => run(true)}>${busy ? "Looking …" : "What would help?"}</button><button disabled=${busy} onClick=${() => run(false)}>Tune now</button></p>
    ${error && html`<${Problem} error=${error} />`}
    ${done && html`<div class="card" role="status"><h3>${done.dry ? "What tuning would do now" : "What tuning found"}</h3><ul>${done.rows.map((row) => html`<li><strong>${row.knob}</strong>: ${row.told}</li>`)}</ul></div>`}
    <${Loaded} of=${tuning}>${(it) => html`
      ${it.note && html`<p class="hint">${it.note}</p>`}
      <${Wide} about="What can be tuned"><table class="full stacks"><thead><tr><th scope="col">number</th><th scope="col">now</th><th scope="col">last found</th></tr></thead><tbody>
        ${it.knobs.map((knob) => {
          const last = it.studies.find((study) => study.knob === knob.knob);
          return html`<tr><td>${knob.knob}<br /><span class="soft">${knob.about}</span></td><td>${values(knob.present)}</td>
            <td>${last ? html`<${Status} of=${last.outcome?.finding || last.state} /> ${when(last.began_at)}, ${last.trials} values tried<br /><span class="soft">${last.outcome?.reason || "not finished: it goes on with the next turn"}</span>` : "not tuned yet"}</td></tr>`;
        })}</tbody></table><//>`}<//>`;
}
