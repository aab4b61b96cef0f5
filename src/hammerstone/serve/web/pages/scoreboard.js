// How good it is: recorded evaluations, and each with its numbers and its failed cases.
import { download, get } from "../api.js";
import { duration } from "../format.js";
import { Empty, Loaded, useLoaded, when } from "../parts/pieces.js";
import { Facts, html } from "../ui.js";

export default function Scoreboard({ rest }) {
  return rest[0] ? html`<${Run} id=${rest[0]} key=${rest[0]} />` : html`<${List} />`;
}

function List() {
  const runs = useLoaded(() => get("/api/scoreboard"), "");
  return html`<div class="page">
    <header><h1>Scoreboard</h1><span class="grow"></span><button onClick=${runs.again}>Refresh</button></header>
    <${Loaded} of=${runs}>${(rows) => rows.length
      ? html`<div class="wide"><table class="full stacks"><thead><tr><th>evaluation</th><th>when</th><th>set</th><th>code</th><th>model</th></tr></thead><tbody>
          ${rows.map((run) => html`<tr>
            <td><a href=${`#/scoreboard/${run.id}`}>${run.id}</a></td>
            <td>${when(run.started_at)}</td><td>${run.set}${run.finished_at ? "" : " (not finished)"}</td>
            <td><code>${run.revision || run.code}</code></td><td>${run.model}</td>
          </tr>`)}
        </tbody></table></div>`
      : html`<${Empty}>Nothing was measured yet. Run <code>hammerstone eval</code> in a terminal: it takes about ten minutes.<//>`}<//>
  </div>`;
}

function Run({ id }) {
  const loaded = useLoaded(() => get(`/api/scoreboard/${encodeURIComponent(id)}`), id);
  const keep = () => download(`/api/scoreboard/${encodeURIComponent(id)}/page`, `scoreboard-${id}.html`);
  return html`<div class="page"><p><a href="#/scoreboard">Scoreboard</a></p>
    <${Loaded} of=${loaded}>${(board) => html`
      <header><h1>Evaluation ${id}</h1><span class="grow"></span><button onClick=${keep}>Download as one page</button></header>
      <${Facts} of=${{
        "targets met": `${board.targets_met} of ${board.targets}`, set: board.run.set, model: board.run.model,
        code: board.run.revision || board.run.code, policies: board.run.policies,
        took: duration(board.seconds), tokens: board.tokens, when: when(board.run.started_at),
      }} />
      <${Since} of=${board.since} reason=${board.not_compared} />
      ${chapters(board.measurements).map(([name, some]) => html`<section>
        <h2>${name[0].toUpperCase() + name.slice(1)}</h2>
        ${some.map((one) => html`<${Measured} of=${one} failed=${board.failed_cases[one.name] || []} />`)}
      </section>`)}`}<//>
  </div>`;
}

const chapters = (measurements) => {
  const found = new Map();
  for (const one of measurements) found.set(one.chapter, [...(found.get(one.chapter) || []), one]);
  return [...found];
};

function Since({ of, reason }) {
  if (reason) return html`<p class="soft">Not compared with the last run: ${reason}</p>`;
  if (!of) return null;
  const changed = of.metrics.filter((one) => one.verdict === "better" || one.verdict === "worse");
  return html`<div class="card"><strong>Since evaluation ${of.first.id}</strong>
    ${changed.length === 0 && html`<p>No difference shown.</p>`}
    <ul>${changed.map((one) => html`<li>${one.verdict}: ${one.measurement}, ${one.metric}: ${amount(one.first, one.unit)} → ${amount(one.second, one.unit)}</li>`)}</ul>
  </div>`;
}

function Measured({ of, failed }) {
  return html`<div class="card"><strong>${of.title}</strong>
    ${of.why && html`<p class="note">${of.state}: ${of.why}</p>`}
    ${of.metrics.length > 0 && html`<div class="wide"><table class="full stacks"><thead><tr><th>number</th><th class="number">value</th><th class="number">95 % interval</th><th class="number">baseline</th><th class="number">target</th></tr></thead><tbody>
      ${of.metrics.map((one) => html`<tr><td>${one.name}</td>
        <td class="number">${amount(one.value, one.unit)}${mark(one)}</td>
        <${Cell} name="95 % interval" of=${one.low === null ? "" : `${amount(one.low, one.unit)} to ${amount(one.high, one.unit)}`} />
        <${Cell} name="baseline" of=${one.baseline === null ? "" : amount(one.baseline, one.unit)} more=${one.baseline_name} />
        <${Cell} name="target" of=${one.target === null ? "" : amount(one.target, one.unit)} /></tr>`)}
    </tbody></table></div>`}
    ${failed.length > 0 && html`<details><summary>${count(of.failed + of.flaky + of.grader_errors)} did not pass</summary>
      <div class="wide"><table class="full stacks"><thead><tr><th>case</th><th>asked</th><th>given</th><th>wanted</th><th>why</th></tr></thead><tbody>
        ${failed.map((one) => html`<tr><td><code>${one.case}</code></td>
          <td class="told" data-label="asked">${short(one.asked)}</td><td class="told" data-label="given">${short(one.given)}</td>
          <td class="told" data-label="wanted">${short(one.wanted)}</td><td class="told" data-label="why">${[one.mark, short(one.reason)].filter(Boolean).join(": ")}</td></tr>`)}
      </tbody></table></div></details>`}
  </div>`;
}

// A number of a table; on a phone the cells stand below each other, each with its name.
const Cell = ({ name, of, more }) => html`<td class=${of ? "number" : "number none"} data-label=${name}>${of}
  ${of && more && html` <span class="soft beside">${more}</span>`}</td>`;

const count = (cases) => `${cases} ${cases === 1 ? "case" : "cases"}`;

// Met, missed, or not met but of too few cases to say that it is missed.
const mark = (one) => (one.left_open ? " ~" : { true: " ✓", false: " ✗" }[one.reached] || "");

const short = (text) => (text.length > 300 ? `${text.slice(0, 300)} …` : text);

const amount = (value, unit) => {
  if (value === null) return "-";
  if (unit === "share") return `${(value * 100).toFixed(1)} %`;
  const number = Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));
  return ["", "count", "ratio"].includes(unit) ? number : `${number} ${unit}`;
};
