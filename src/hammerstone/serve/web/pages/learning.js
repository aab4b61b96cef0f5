// What was learned, on which evidence, what it is worth, and how to take it back.
import { get, post } from "../api.js";
import { ChangeEvidence } from "../parts/evidence.js";
import { Jobs } from "../parts/jobs.js";
import { Labels } from "../parts/labels.js";
import { Plot } from "../parts/result.js";
import { Round } from "../parts/round.js";
import { Tuning } from "../parts/tuning.js";
import { Text } from "../parts/value.js";
import { duration, percent, plural } from "../format.js";
import { Empty, Loaded, Status, useLoaded, when, Wide } from "../parts/pieces.js";
import { Confirm, html, Problem, useEffect, useRef, useState } from "../ui.js";

const KINDS = {
  build: "new tool", repair: "repair", composite: "joined tools", merge: "same tool twice", edit: "edited by hand", examination: "examined again",
  trust: "trusted", retirement: "out of use", policy: "setting", prompt: "own prompt", skill: "skill", lesson: "search",
  adapter: "adapter", harness: "own steps",
};

export default function Learning() {
  // Undoing a change also concerns what waits, and the other way round: both are read again.
  const [round, setRound] = useState(0);
  const changed = () => setRound(round + 1);
  return html`<div class="page">
    <header><h1>Learning</h1></header>
    <${Progress} />
    <${Proposals} round=${round} changed=${changed} />
    <${Ledger} round=${round} changed=${changed} />
    <${Labels} />
    <${Tuning} changed=${changed} />
    <${Jobs} round=${round} />
    <${Calibration} />
    <${Patterns} />
  </div>`;
}

function Progress() {
  const [days, setDays] = useState(7);
  const progress = useLoaded(() => get(`/api/analytics/progress?days=${days}`), days);
  const line = (series, key) => series.map((one) => one[key]);
  return html`
    <div class="row"><h2 class="grow">Progress</h2><label>over <select value=${days} onChange=${(event) => setDays(Number(event.target.value))}>${[1, 7, 30, 365].map((one) => html`<option value=${one}>${one} ${one === 1 ? "day" : "days"}</option>`)}</select></label></div>
    <${Loaded} of=${progress}>${(it) => {
      if (!it.total.requests) return html`<${Empty}>Nothing was asked in this time. Choose a longer one, or <a href="#/chat">ask for something</a>.<//>`;
      const series = it.series.filter((one) => one.requests);
      const x = series.map((one) => Date.parse(one.at) / 1000);
      return html`
        <div class="numbers">
          <${Number_} title="requests" value=${it.total.requests} />
          <${Number_} title="answered" value=${percent(it.total.success)} />
          <${Number_} title="answered with a tool from the library" value=${percent(it.total.reuse)} />
          <${Number_} title="answered before (cached)" value=${percent(it.total.cache_hits)} />
          <${Number_} title="model calls per request" value=${it.total.model_calls_per_request.toFixed(1)} />
          <${Number_} title="time per request" value=${duration(it.total.seconds_per_request)} />
        </div>
        ${series.length > 2 && html`
          <${Plot} title="Share of requests (1 is all)" x=${x} time=${true} series=${[{ label: "answered", values: line(series, "success") }, { label: "reused a tool", values: line(series, "reuse") }, { label: "cached", values: line(series, "cache_hits") }]} />
          <${Plot} title="Model calls per request" x=${x} time=${true} series=${[{ label: "model calls", values: line(series, "model_calls_per_request") }]} />`}`;
    }}<//>`;
}

function Number_({ title, value }) {
  return html`<div class="card"><strong>${value}</strong><span class="soft">${title}</span></div>`;
}

function Calibration() {
  const found = useLoaded(() => get("/api/calibration"), "calibration");
  return html`<h2>Is the confidence right?</h2><p class="hint">Each tool says how sure it is. Here you see how often the sure ones really were right.</p>
    <${Loaded} of=${found}>${(it) => html`
      <p>${it.text}</p>
      ${it.tools > 0 && html`<${Wide} about="Confidence"><table class="full"><thead><tr><th scope="col">was this sure</th><th scope="col" class="number">right</th><th scope="col" class="number">wrong</th><th scope="col" class="number">not known yet</th><th scope="col" class="number">how sure on average</th><th scope="col">turned out right</th></tr></thead><tbody>
        ${it.reliability.map((bin) => html`<tr><td>${percent(bin.low)} to ${percent(bin.high)}</td><td class="number">${bin.right}</td><td class="number">${bin.wrong}</td><td class="number">${bin.unknown}</td><td class="number">${percent(bin.confidence)}</td><td>${bin.share === null ? "–" : html`<meter min="0" max="1" value=${bin.share} aria-label="turned out right"></meter> ${percent(bin.share)}`}</td></tr>`)}
      </tbody></table><//>`}
      ${it.adjustments.map((one) => html`<p class="hint">Model ${one.model}: ${one.cautious ? `the numbers were measured with ${one.fitted_for}, so they are lowered at first` : "the numbers were measured with this model"}; ${one.judged ? `${plural(one.judged, "tool")} judged since` : "no tool judged since"}. ${one.examples.some((each) => percent(each.shipped) !== percent(each.adjusted)) && `Because of that, ${one.examples.map((each) => `${percent(each.shipped)} is shown as ${percent(each.adjusted)}`).join(", ")}.`}</p>`)}`}<//>`;
}

function Ledger({ round, changed }) {
  const [every, setEvery] = useState(false);
  const ledger = useLoaded(() => get(`/api/ledger?every=${every}`), `${every} ${round}`);
  const [open, setOpen] = useState(null);
  const [error, setError] = useState(null);
  const [done, setDone] = useState(null);
  const [asked, setAsked] = useState(null);
  const undo = (id, why, together) => {
    setAsked(null);
    post(`/api/ledger/${id}/undo`, { why: why || "from the web app", with_dependents: together }).then(
      (result) => {
        setError(null);
        setDone(result.done);
        changed();
      },
      (problem) => setError({ message: problem.message, hint: problem.message.includes("build on") ? "Undo them together, the newest first." : problem.hint, id }),
    );
  };
  return html`
    <div class="row"><h2 class="grow">What has changed</h2><label><input type="checkbox" checked=${every} onChange=${(event) => setEvery(event.target.checked)} /> also what was refused or undone</label></div>
    ${done && html`<p role="status">Undone: ${done.map((line) => line.replace(/^[0-9a-f]{12}: /, "")).join("; ")}</p>`}
    ${error && html`<${Problem} error=${error} />${error.message.includes("build on") && html`<button onClick=${() => undo(error.id, "", true)}>Undo them all, in order</button>`}`}
    ${open && html`<${Detail} id=${open} round=${round} onClose=${() => setOpen(null)} key=${open} />`}
    <${Loaded} of=${ledger}>${(rows) => rows.length
      ? html`<${Wide} about="What has changed"><table class="full stacks"><thead><tr><th scope="col">what, and why</th><th scope="col">kind</th><th scope="col">when</th><th scope="col">state</th><th scope="col">use so far</th><td></td></tr></thead><tbody>
          ${rows.map((row) => html`<tr>
            <td><button class="link" aria-expanded=${open === row.id ? "true" : "false"} onClick=${() => setOpen(row.id)}>${row.what}</button><br /><span class="soft">${row.because}${row.evidence > 1 ? `, seen ${row.evidence} times` : ""}</span>${row.against.map((one) => html`<br /><span class="soft">Against it: ${one}</span>`)}</td>
            <td>${KINDS[row.kind] || row.kind}</td><td>${when(row.at)}</td><td><${Status} of=${row.status} /></td>
            <td>${row.worth}${row.cost && html`<br /><span class="soft">it took ${row.cost}</span>`}</td>
            <td class="act">${row.undo && html`<button aria-label=${`Undo ${row.what}`} onClick=${() => setAsked(row)}>Undo</button>`}</td>
          </tr>`)}
        </tbody></table><//>`
      : html`<p class="soft">Nothing has changed yet. <a href="#/chat">Ask for something</a>: what is built, learned, repaired, edited, trusted or retired appears here, and can be undone.</p>`}<//>
    ${asked && html`<${Confirm} title="Undo this change?" yes="Undo it" reason="Why (kept with it)" onYes=${(why) => undo(asked.id, why, false)} onNo=${() => setAsked(null)}>
      <p>${asked.what}</p><p class="hint">What it changed goes back to what it was before. It can be learned again when there is new evidence.</p>
    <//>`}
    <${Round} again=${changed} />`;
}

/** One change as it stands now: what it changes, why, and what happened to it. */
function Detail({ id, round, onClose, children }) {
  const change = useLoaded(() => get(`/api/proposals/${id}`), `${id} ${round}`);
  const title = useRef(null);
  useEffect(() => title.current?.focus(), [change.value?.id]);
  return html`<div class="card"><${Loaded} of=${change}>${(it) => html`
    <h3 ref=${title} tabindex="-1">${it.title} <${Status} of=${it.status} /></h3>
    ${it.preview && it.preview !== it.title && html`<details open=${it.preview.split("\n").length < 25}><summary>What it changes</summary>${it.preview.startsWith("---") ? html`<${Diff} of=${it.preview} />` : html`<${Text} of=${it.preview} about="What it changes" />`}</details>`}
    <details open><summary>Evidence</summary><${ChangeEvidence} evidence=${it.evidence} decision=${it.decision} /></details>
    <details><summary>History</summary><ul class="soft">${it.audits.map((line) => html`<li>${line}</li>`)}</ul></details>
    ${it.dependents.length > 0 && html`<p>Other changes build on it: ${it.dependents.map((one) => one.replace(/^[0-9a-f]{12} /, "")).join(", ")}</p>`}`}<//>
    <div class="row">${children}<button onClick=${onClose}>Close</button></div>
  </div>`;
}

function Diff({ of }) {
  return html`<pre tabindex="0" class="diff" role="region" aria-label="What it changes">${of.split("\n").filter((line) => !/^(---|\+\+\+|@@)/.test(line)).map((line) => html`<div class=${line.startsWith("+") ? "add" : line.startsWith("-") ? "del" : ""}>${line || " "}</div>`)}</pre>`;
}

function Proposals({ round, changed }) {
  const proposals = useLoaded(() => get("/api/proposals"), `proposals ${round}`);
  const [open, setOpen] = useState(null);
  const [error, setError] = useState(null);
  const decide = (id, approve) =>
    post(`/api/proposals/${id}`, { approve }).then(() => {
      setOpen(null);
      changed();
    }, setError);
  const waits = (row) => ["proposed", "waiting"].includes(row.status);
  return html`<h2>Waiting for you</h2>
    ${error && html`<${Problem} error=${error} />`}
    <${Loaded} of=${proposals}>${(rows) => rows.some(waits)
      ? html`<${Wide} about="Waiting for you"><table class="full stacks"><tbody>${rows.filter(waits).map((row) => html`<tr><td><button class="link" aria-expanded=${open === row.id ? "true" : "false"} onClick=${() => setOpen(row.id)}>${row.title}</button></td><td>${KINDS[row.kind] || row.kind}</td><td><${Status} of=${row.status} /></td><td>${when(row.created_at)}</td></tr>`)}</tbody></table><//>`
      : html`<p class="soft">No change waits for your decision.</p>`}<//>
    ${open && html`<${Detail} id=${open} round=${round} onClose=${() => setOpen(null)} key=${open}><button class="primary" onClick=${() => decide(open, true)}>Approve</button><button onClick=${() => decide(open, false)}>Refuse</button><//>`}`;
}

function Patterns() {
  const patterns = useLoaded(() => get("/api/analytics/patterns?limit=30"), "patterns");
  return html`<h2>Tools that follow each other</h2>
    <${Loaded} of=${patterns}>${(rows) => rows.length
      ? html`<${Wide} about="Patterns"><table class="full"><thead><tr><th scope="col">tools in a row</th><th class="number">times</th><th class="number">sessions</th><th class="number">success</th></tr></thead><tbody>
          ${rows.map((row) => html`<tr><td>${row.tools.join(" → ")}</td><td class="number">${row.frequency}</td><td class="number">${row.sessions}</td><td class="number">${percent(row.success_rate)}</td></tr>`)}</tbody></table><//>`
      : html`<p class="soft">Nothing repeated yet. When the same tools follow each other again and again, they become one tool.</p>`}<//>`;
}
