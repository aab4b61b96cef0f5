// Evolution: score over time, what was tried, kept and reverted, and cost against gain.
import { get, post, put } from "../api.js";
import { duration, moment } from "../format.js";
import { Empty, Loaded, useLoaded, when } from "../parts/pieces.js";
import { Facts, html, useState } from "../ui.js";

export default function Evolution({ rest }) {
  return rest[0] ? html`<${Round} id=${rest[0]} key=${rest[0]} />` : html`<${Overview} />`;
}

const PRESETS = ["innovate", "harden", "repair-only"];

function Overview() {
  const status = useLoaded(() => get("/api/evolution"), "");
  const rounds = useLoaded(() => get("/api/evolution/rounds"), "");
  const attempts = useLoaded(() => get("/api/evolution/attempts"), "");
  const again = () => [status, rounds, attempts].forEach((one) => one.again());
  const choose = (name) => put("/api/evolution/preset", { name }).then(again);
  return html`<div class="page">
    <header><h1>Evolution</h1><span class="grow"></span><button onClick=${again}>Refresh</button></header>
    <${Loaded} of=${status}>${(it) => html`
      <${Facts} of=${facts(it)} />
      <p class="row"><label>Preset <select value=${it.preset} onChange=${(event) => choose(event.target.value)}>
        ${it.preset === "own" && html`<option value="own" disabled>numbers of your own</option>`}
        ${PRESETS.map((name) => html`<option value=${name}>${name}</option>`)}
      </select></label></p>
      ${Object.entries(it.suites).map(([name, one]) => html`<${Suite} name=${name} of=${one} key=${name} />`)}
      ${Object.keys(it.suites).length === 0 && html`<${Empty}>No suite was scored yet. Run <code>hammerstone evolve run SUITE</code> in a terminal.<//>`}`}<//>
    <h2>Rounds</h2>
    <${Loaded} of=${rounds}>${(rows) => rows.length ? html`<${Rounds} of=${rows} />` : html`<p class="soft">No round was run yet.</p>`}<//>
    <h2>What was tried</h2>
    <${Loaded} of=${attempts}>${(rows) => rows.length ? html`<${Gains} of=${rows} /><${Attempts} of=${rows} />` : html`<p class="soft">Nothing was tried yet.</p>`}<//>
    <${Samples} />
    <${Failures} />
    <${Notes} />
  </div>`;
}

const facts = (it) => ({
  "what wins": it.review ? "waits for you" : "is kept by itself",
  monitor: it.continuous ? "starts a round by itself" : "tells you first",
  "may be tried": Object.entries(it.tracks).filter(([, on]) => on).map(([name]) => name.replace("_", "-")).join(", ") || "nothing",
  "judge of requests": reliability(it.judges.runs),
  "judge of traces": reliability(it.judges.traces),
  "you agreed with the judge": it.people_agree.of ? `${it.people_agree.agree} of ${it.people_agree.of} times` : "you were not asked yet",
});

const reliability = (judge) => (judge.share === null
  ? "no model counts: its reliability was not measured"
  : `right in ${Math.round(judge.share * 100)} % of ${judge.cases} answers of known truth; ${judge.counts ? "it counts" : "it does not count"}`);

function Suite({ name, of }) {
  const scores = useLoaded(() => get(`/api/evolution/scores/${encodeURIComponent(name)}`), name);
  return html`<section class="card"><strong>${name}</strong> <span class="soft">${of.finding}: ${of.why}</span>
    <${Loaded} of=${scores}>${(rows) => html`<${Line} rows=${rows} name=${name} />`}<//>
  </section>`;
}

// Score over time: a line from 0 to 1 with the mark below which a request counts as failed.
function Line({ rows, name }) {
  const width = 640, height = 120, left = 24, step = rows.length > 1 ? (width - left - 10) / (rows.length - 1) : 0;
  const up = (score) => height - 10 - score * (height - 20);
  const at = (row, place) => [left + place * step, up(row.average)];
  const points = rows.map(at);
  const text = `Score of ${name} from ${moment(rows[0].at)} to ${moment(rows.at(-1).at)}: ${rows.map((row) => row.average.toFixed(2)).join(", ")}`;
  return html`<svg class="scores" viewBox="0 0 ${width} ${height}" role="img" aria-label=${text} width="100%">
    <line x1=${left} x2=${width - 10} y1=${up(0.7)} y2=${up(0.7)} stroke="currentColor" stroke-dasharray="4 4" opacity="0.4" />
    ${[0, 0.7, 1].map((score) => html`<text x="2" y=${up(score) + 3} font-size="9" fill="currentColor" opacity="0.7">${score}</text>`)}
    <polyline fill="none" stroke="currentColor" stroke-width="2" points=${points.map((point) => point.join(",")).join(" ")} />
    ${points.map(([x, y], place) => html`<circle cx=${x} cy=${y} r="3" fill="currentColor"><title>${moment(rows[place].at)}: ${rows[place].average.toFixed(2)} (${rows[place].why})</title></circle>`)}
  </svg><p class="soft">${moment(rows[0].at)} to ${moment(rows.at(-1).at)}, newest ${rows.at(-1).average.toFixed(2)}. Below the dashed line a request counts as failed.</p>`;
}

const Rounds = ({ of }) => html`<div class="wide"><table class="full stacks"><thead><tr><th>round</th><th>suite</th><th>when</th><th class="number">score</th><th class="number">tokens</th><th>what came of it</th></tr></thead><tbody>
  ${of.map((row) => html`<tr><td><a href=${`#/evolution/${row.id}`}>${row.id}</a></td><td>${row.suite}</td><td>${when(row.started_at)}</td>
    ${row.average === null ? html`<td class="none"></td>` : html`<td class="number" data-label="score">${row.average.toFixed(2)}</td>`}
    <td class="number" data-label="tokens">${(row.cost.tokens || 0).toLocaleString("en")}</td>
    <td class="told">${row.account.at(-1) || row.state}</td></tr>`)}
</tbody></table></div>`;

// Cost against gain: each attempt as a point, tokens to the right, gain on hidden cases upwards.
function Gains({ of }) {
  const known = of.filter((one) => one.gain !== null);
  if (!known.length) return html`<p class="soft">No attempt came as far as the hidden cases, so there is no gain to show.</p>`;
  const width = 640, height = 110;
  const most = Math.max(1, ...known.map((one) => one.cost.tokens || 0)), top = Math.max(0.05, ...known.map((one) => Math.abs(one.gain)));
  return html`<p class="soft">Each point is an attempt: further to the right it cost more tokens, further up it gained more on hidden tests, below the line it lost. What was kept is dark.</p>
  <svg viewBox="0 0 ${width} ${height}" role="img" width="100%" aria-label="Cost in tokens against gain on hidden tests">
    <line x1="44" x2=${width - 10} y1=${height / 2} y2=${height / 2} stroke="currentColor" opacity="0.4" />
    ${[top, 0, -top].map((gain) => html`<text x="2" y=${height / 2 - (gain / top) * (height / 2 - 10) + 3} font-size="9" fill="currentColor" opacity="0.7">${gain ? signed(gain) : "0"}</text>`)}
    <text x=${width - 10} y=${height / 2 + 12} font-size="9" text-anchor="end" fill="currentColor" opacity="0.7">${most.toLocaleString("en")} tokens</text>
    ${known.map((one) => html`<circle cx=${44 + ((one.cost.tokens || 0) / most) * (width - 54)} cy=${height / 2 - (one.gain / top) * (height / 2 - 10)} r="5" fill="currentColor" opacity=${one.outcome === "kept" ? 1 : 0.4}>
      <title>${one.track} ${one.outcome}: ${signed(one.gain)} for ${(one.cost.tokens || 0).toLocaleString("en")} tokens</title></circle>`)}
  </svg>`;
}

const signed = (gain) => `${gain >= 0 ? "+" : ""}${gain.toFixed(3)}`;

const Attempts = ({ of }) => html`<div class="wide"><table class="full stacks"><thead><tr><th>track</th><th>outcome</th><th class="number">gain</th><th class="number">tokens</th><th class="number">time</th><th>account</th></tr></thead><tbody>
  ${of.map((one) => html`<tr><td>${one.track.replace("_", "-")}</td><td>${one.outcome}</td>
    ${one.gain === null ? html`<td class="none"></td>` : html`<td class="number" data-label="gain">${signed(one.gain)}</td>`}
    <td class="number" data-label="tokens">${(one.cost.tokens || 0).toLocaleString("en")}</td>
    <td class="number" data-label="time">${duration(one.cost.seconds || 0)}</td>
    <td class="told">${one.account.join(" ")}${one.proposal && html` Change <code>${one.proposal}</code>${one.outcome === "waiting" && html`, for you to decide on the page <a href="#/learning">Learning</a>`}.`}</td></tr>`)}
</tbody></table></div>`;

// Requests drawn by chance: what the judge says, and two buttons for what you say.
function Samples() {
  const samples = useLoaded(() => get("/api/evolution/samples"), "");
  const [busy, setBusy] = useState(0);
  const say = (id, right) => {
    setBusy(id);
    post(`/api/evolution/samples/${id}`, { right }).finally(() => setBusy(0)).then(samples.again);
  };
  return html`<h2>Samples for you</h2>
    <p class="soft">Drawn by chance, so that a judge that is content with anything is noticed. Say whether each request was answered rightly.</p>
    <${Loaded} of=${samples}>${(rows) => rows.length ? html`<div>${rows.map((row) => html`<section class="card">
      <p>${row.asked || row.case}</p><p><span class="soft">Answered:</span> ${row.given === null ? "(not kept)" : row.given || "nothing"}</p><p class="soft">The judge: ${row.failed ? "failed" : "good"} (${row.score.toFixed(2)})${row.why && `, ${row.why}`}; suite ${row.suite}, case ${row.case}</p>
      <button disabled=${busy === row.id} onClick=${() => say(row.id, true)}>Right</button> <button disabled=${busy === row.id} onClick=${() => say(row.id, false)}>Wrong</button>
    </section>`)}</div>` : html`<p class="soft">None waits for you.</p>`}<//>`;
}

// Requests that failed, and why: each is judged once by itself.
function Failures() {
  const verdicts = useLoaded(() => get("/api/evolution/verdicts?failed=true&limit=20"), "");
  return html`<h2>Requests that failed</h2>
    <${Loaded} of=${verdicts}>${(rows) => rows.length ? html`<${Verdicts} of=${rows} what="request" />` : html`<p class="soft">None that is known of. Requests are judged once a day, or with <code>hammerstone evolve judge</code>.</p>`}<//>`;
}

const Verdicts = ({ of, what }) => html`<div class="wide"><table class="full stacks"><thead><tr><th>${what}</th><th class="number">score</th><th>rests on</th><th>cause</th><th>why</th></tr></thead><tbody>
  ${of.map((one) => html`<tr><td>${one.failed && one.trace_id ? html`<a href=${`#/traces/${one.trace_id}`}>${one.case || "trace"}</a>` : one.case}</td><td class="number" data-label="score">${one.score.toFixed(2)}</td><td>${one.source}</td>
    <td>${one.finding ? `${one.finding.kind}: ${one.finding.cause}` : ""}</td>
    <td class="told">${[one.why, ...(one.finding ? [one.finding.why, ...one.finding.evidence] : [])].filter(Boolean).join("; ")}</td></tr>`)}
</tbody></table></div>`;

// What should be changed about tools and skills, as their runs say.
function Notes() {
  const notes = useLoaded(() => get("/api/evolution/notes"), "");
  return html`<h2>Notes about tools</h2>
    <${Loaded} of=${notes}>${(rows) => rows.length ? html`<div class="wide"><table class="full stacks"><thead><tr><th>for</th><th>by</th><th>when</th><th>note</th></tr></thead><tbody>
      ${rows.map((row) => html`<tr><td>${row.target}</td><td>${row.source}</td><td>${when(row.at)}</td><td class="told">${row.note}</td></tr>`)}
    </tbody></table></div>` : html`<p class="soft">None yet. They come from the traces of your requests.</p>`}<//>`;
}

// What is known of a round; what is not yet known has no label.
const roundFacts = (row) => Object.fromEntries(Object.entries({
  suite: row.suite, state: row.state, by: row.who, when: when(row.started_at),
  score: row.average === null ? "" : row.average.toFixed(2),
  tokens: (row.cost.tokens || 0).toLocaleString("en"), took: duration(row.cost.seconds || 0),
  ...(row.recommendation.tracks || []).length > 0 && {
    recommended: row.recommendation.tracks.map((one) => one.track.replace("_", "-")).join(", "),
    sure: `${Math.round(row.recommendation.confidence * 100)} %`,
    effort: row.recommendation.effort, risk: row.recommendation.risk,
  },
}).filter(([, value]) => value));

function Round({ id }) {
  const loaded = useLoaded(() => get(`/api/evolution/rounds/${encodeURIComponent(id)}`), id);
  return html`<div class="page"><p><a href="#/evolution">Evolution</a></p>
    <${Loaded} of=${loaded}>${(row) => html`
      <header><h1>Round ${row.id}</h1></header>
      <${Facts} of=${roundFacts(row)} />
      <ol>${row.account.map((sentence) => html`<li>${sentence}</li>`)}</ol>
      ${row.attempts.length > 0 && html`<h2>What was tried</h2><${Attempts} of=${row.attempts} />`}
      <h2>Verdicts</h2>
      <${Verdicts} of=${row.verdicts} what="case" />`}<//>
  </div>`;
}
