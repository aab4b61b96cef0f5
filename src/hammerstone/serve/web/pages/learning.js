// What was learned, on which evidence, what it is worth, and how to take it back.
import { get, post } from "../api.js";
import { Plot } from "../parts/result.js";
import { Confirm, duration, Empty, html, Loaded, percent, Problem, Status, useLoaded, useState, when, Wide } from "../ui.js";

export default function Learning() {
  // Undoing a change also concerns what waits, and the other way round: both are read again.
  const [round, setRound] = useState(0);
  const changed = () => setRound(round + 1);
  return html`<div class="page">
    <header><h1>Learning</h1></header>
    <${Progress} />
    <${Proposals} round=${round} changed=${changed} />
    <${Ledger} round=${round} changed=${changed} />
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
      if (!it.total.requests) return html`<${Empty}>Nothing was asked in this time.<//>`;
      const series = it.series.filter((one) => one.requests);
      const x = series.map((one) => Date.parse(one.at) / 1000);
      return html`
        <div class="numbers">
          <${Number_} title="requests" value=${it.total.requests} />
          <${Number_} title="answered" value=${percent(it.total.success)} />
          <${Number_} title="with a tool that existed" value=${percent(it.total.reuse)} />
          <${Number_} title="from the cache" value=${percent(it.total.cache_hits)} />
          <${Number_} title="model calls a request" value=${it.total.model_calls_per_request.toFixed(1)} />
          <${Number_} title="time a request" value=${duration(it.total.seconds_per_request)} />
        </div>
        ${series.length > 2 && html`
          <${Plot} title="Shares of requests" x=${x} time=${true} series=${[{ label: "answered", values: line(series, "success") }, { label: "reused a tool", values: line(series, "reuse") }, { label: "cached", values: line(series, "cache_hits") }]} />
          <${Plot} title="Model calls a request" x=${x} time=${true} series=${[{ label: "model calls", values: line(series, "model_calls_per_request") }]} />`}`;
    }}<//>`;
}

function Number_({ title, value }) {
  return html`<div class="card"><strong>${value}</strong><span class="soft">${title}</span></div>`;
}

function Calibration() {
  const found = useLoaded(() => get("/api/calibration"), "calibration");
  return html`<h2>Confidence</h2>
    <${Loaded} of=${found}>${(it) => html`
      <p>${it.text}</p>
      ${it.tools > 0 && html`<${Wide} about="Confidence"><table class="full"><thead><tr><th>confidence</th><th class="number">right</th><th class="number">wrong</th><th class="number">unknown</th><th class="number">mean confidence</th><th>turned out right</th></tr></thead><tbody>
        ${it.reliability.map((bin) => html`<tr><td>${percent(bin.low)} to ${percent(bin.high)}</td><td class="number">${bin.right}</td><td class="number">${bin.wrong}</td><td class="number">${bin.unknown}</td><td class="number">${percent(bin.confidence)}</td><td>${bin.share === null ? "–" : html`<meter min="0" max="1" value=${bin.share} aria-label="turned out right"></meter> ${percent(bin.share)}`}</td></tr>`)}
      </tbody></table><//>`}
      ${it.adjustments.map((one) => html`<p class="hint">${one.model}: ${one.cautious ? `the calibration was fitted for ${one.fitted_for}, so it starts cautious` : "the calibration was fitted for it"}; ${one.judged ? `${one.judged} tools judged` : "no tool judged yet"}. ${one.examples.map((each) => `${percent(each.shipped)} counts as ${percent(each.adjusted)}`).join(", ")}.</p>`)}`}<//>`;
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
        setOpen(null);
        changed();
      },
      (problem) => setError({ ...problem, message: problem.message, hint: problem.hint, id }),
    );
  };
  return html`
    <div class="row"><h2 class="grow">Ledger</h2><label><input type="checkbox" checked=${every} onChange=${(event) => setEvery(event.target.checked)} /> also what was refused or undone</label></div>
    ${done && html`<p role="status">Done: ${done.join("; ")}</p>`}
    ${error && html`<${Problem} error=${error} />${error.message.includes("build on") && html`<button onClick=${() => undo(error.id, "", true)}>Undo them all, in order</button>`}`}
    <${Loaded} of=${ledger}>${(rows) => rows.length
      ? html`<${Wide} about="Ledger"><table class="full"><thead><tr><th>what, and from what</th><th>kind</th><th>when</th><th>status</th><th>worth so far</th><td></td></tr></thead><tbody>
          ${rows.map((row) => html`<tr>
            <td><button class="link" onClick=${() => get(`/api/proposals/${row.id}`).then(setOpen, setError)}>${row.what}</button><br /><span class="soft">${row.who}: ${row.why}${row.evidence > 1 ? `, seen ${row.evidence} times` : ""}</span>${row.against.map((one) => html`<br /><span class="soft">Against it: ${one}</span>`)}</td>
            <td>${row.kind}</td><td>${when(row.at)}</td><td><${Status} of=${row.status} /></td>
            <td>${row.worth}${row.cost && html`<br /><span class="soft">it took ${row.cost}</span>`}</td>
            <td>${row.undo && html`<button onClick=${() => setAsked(row)}>Undo</button>`}</td>
          </tr>`)}
        </tbody></table><//>`
      : html`<p class="soft">Nothing has changed yet. What is built, learned, repaired, edited, trusted or retired appears here, and can be taken back.</p>`}<//>
    ${open && html`<${Detail} of=${open} onClose=${() => setOpen(null)} />`}
    ${asked && html`<${Confirm} title="Undo this change?" yes="Undo it" reason="Why (kept with it)" onYes=${(why) => undo(asked.id, why, false)} onNo=${() => setAsked(null)}>
      <p>${asked.what}</p><p class="hint">What it changed goes back to what it was before. It can be learned again when the evidence comes again.</p>
    <//>`}
    <${Round} again=${changed} />`;
}

function Round({ again }) {
  const [report, setReport] = useState(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const run = (dry) => {
    setBusy(true);
    setError(null);
    post("/api/learn", { dry_run: dry })
      .then((result) => {
        setReport(result);
        again();
      }, setError)
      .finally(() => setBusy(false));
  };
  return html`<p class="row"><button disabled=${busy} onClick=${() => run(true)}>${busy ? "Looking …" : "What would change?"}</button><button disabled=${busy} onClick=${() => run(false)}>Learn now</button><span class="hint">It also happens by itself, once a day.</span></p>
    ${error && html`<${Problem} error=${error} />`}
    ${report && html`<pre tabindex="0" role="status">${JSON.stringify(report, null, 2)}</pre>`}`;
}

function Detail({ of, onClose, children }) {
  return html`<div class="card"><h3>${of.title} <${Status} of=${of.status} /></h3><pre tabindex="0">${of.preview}</pre>
    <ul class="soft">${of.audits.map((line) => html`<li>${line}</li>`)}</ul>
    <details><summary>Evidence</summary><pre tabindex="0">${JSON.stringify({ evidence: of.evidence, decision: of.decision }, null, 2)}</pre></details>
    ${of.dependents.length > 0 && html`<p>Builds on it: ${of.dependents.join(", ")}</p>`}
    <div class="row">${children}<button onClick=${onClose}>Close</button></div>
  </div>`;
}

function Proposals({ round, changed }) {
  const proposals = useLoaded(() => get("/api/proposals"), `proposals ${round}`);
  const [open, setOpen] = useState(null);
  const [error, setError] = useState(null);
  const show = (id) => get(`/api/proposals/${id}`).then(setOpen, setError);
  const decide = (id, approve) =>
    post(`/api/proposals/${id}`, { approve }).then(() => {
      setOpen(null);
      changed();
    }, setError);
  const waits = (row) => ["proposed", "waiting"].includes(row.status);
  return html`<h2>Proposals</h2>
    ${error && html`<${Problem} error=${error} />`}
    <${Loaded} of=${proposals}>${(rows) => rows.some(waits)
      ? html`<${Wide} about="Proposals"><table class="full"><tbody>${rows.filter(waits).map((row) => html`<tr><td><button class="link" onClick=${() => show(row.id)}>${row.title}</button></td><td>${row.kind}</td><td><${Status} of=${row.status} /></td><td>${when(row.created_at)}</td></tr>`)}</tbody></table><//>`
      : html`<p class="soft">Nothing waits for a person.</p>`}<//>
    ${open && html`<${Detail} of=${open} onClose=${() => setOpen(null)}><button class="primary" onClick=${() => decide(open.id, true)}>Approve</button><button onClick=${() => decide(open.id, false)}>Refuse</button><//>`}`;
}

function Patterns() {
  const patterns = useLoaded(() => get("/api/analytics/patterns?limit=30"), "patterns");
  return html`<h2>Patterns</h2>
    <${Loaded} of=${patterns}>${(rows) => rows.length
      ? html`<${Wide} about="Patterns"><table class="full"><thead><tr><th>tools in a row</th><th class="number">times</th><th class="number">sessions</th><th class="number">success</th></tr></thead><tbody>
          ${rows.map((row) => html`<tr><td>${row.tools.join(" → ")}</td><td class="number">${row.frequency}</td><td class="number">${row.sessions}</td><td class="number">${percent(row.success_rate)}</td></tr>`)}</tbody></table><//>`
      : html`<p class="soft">No sequence of tools has repeated yet.</p>`}<//>`;
}
