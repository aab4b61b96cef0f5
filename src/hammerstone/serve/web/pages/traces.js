// What happened: every step with its inputs and outputs, as a waterfall.
import { get, post, query } from "../api.js";
import { duration, Empty, Facts, html, Loaded, Problem, Status, useLoaded, useState, when } from "../ui.js";

export default function Traces({ rest }) {
  if (rest[0] === "compare") return html`<${Compare} a=${rest[1]} b=${rest[2]} />`;
  return rest[0] ? html`<${TracePage} id=${rest[0]} key=${rest[0]} />` : html`<${List} />`;
}

function List() {
  const [status, setStatus] = useState("");
  const [picked, setPicked] = useState([]);
  const traces = useLoaded(() => get(`/api/traces?${query({ status, limit: 100 })}`), status);
  const pick = (id) => setPicked(picked.includes(id) ? picked.filter((one) => one !== id) : [...picked, id].slice(-2));
  return html`<div class="page">
    <header><h1>Traces</h1><span class="grow"></span>
      ${picked.length === 2 && html`<a class="button" href=${`#/traces/compare/${picked[0]}/${picked[1]}`}>Compare the two</a>`}
      <label>Status <select value=${status} onChange=${(event) => setStatus(event.target.value)}><option value="">all</option>${["success", "error", "timeout"].map((one) => html`<option>${one}</option>`)}</select></label>
      <button onClick=${traces.again}>Refresh</button>
    </header>
    <${Loaded} of=${traces}>${(rows) => rows.length
      ? html`<div class="wide"><table class="full"><thead><tr><td></td><th>request</th><th>status</th><th class="number">took</th><th>when</th></tr></thead><tbody>
          ${rows.map((row) => html`<tr>
            <td><input type="checkbox" aria-label="Pick for comparing" checked=${picked.includes(row.id)} onChange=${() => pick(row.id)} /></td>
            <td><a href=${`#/traces/${row.id}`}>${shorten(row.request) || row.id.slice(0, 8)}</a></td>
            <td><${Status} of=${row.status} /></td><td class="number">${duration(row.seconds)}</td><td>${when(row.started_at)}</td>
          </tr>`)}
        </tbody></table></div>`
      : html`<${Empty}>Nothing was asked yet.<//>`}<//>
  </div>`;
}

const shorten = (value) => {
  const text = typeof value === "string" ? value : value ? JSON.stringify(value) : "";
  return text.length > 110 ? `${text.slice(0, 110)} …` : text;
};

function TracePage({ id }) {
  const trace = useLoaded(() => get(`/api/traces/${id}`), id);
  const [replayed, setReplayed] = useState(null);
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const replay = () => {
    setBusy(true);
    setError(null);
    post(`/api/traces/${id}/replay`).then(setReplayed, setError).finally(() => setBusy(false));
  };
  return html`<div class="page"><p><a href="#/traces">Traces</a></p>
    <${Loaded} of=${trace}>${(it) => html`
      <header><h1>${shorten(it.request) || "Trace"}</h1><${Status} of=${it.status} /><span class="grow"></span>
        <button disabled=${busy} onClick=${replay}>${busy ? "Replaying …" : "Replay without a model"}</button></header>
      <${Facts} of=${{ took: duration(it.seconds), steps: it.spans.length, when: when(it.started_at), id: it.id, error: it.error || null }} />
      ${error && html`<${Problem} error=${error} />`}
      ${replayed && html`<${Replayed} of=${replayed} />`}
      <${Waterfall} trace=${it} />
      <h2>Came out</h2><pre tabindex="0">${JSON.stringify(it.final_output, null, 2)}</pre>
    `}<//>
  </div>`;
}

function Replayed({ of }) {
  return html`<div class="card replayed" role="status">
    <strong>${of.same ? "Replayed: everything came out the same." : "Replayed: something differs."}</strong>
    ${of.difference && html`<p class="note">${of.difference}</p>`}
    ${of.steps.length === 0 && html`<p class="soft">The trace called no tool: there is nothing to run again.</p>`}
    <ul>${of.steps.map((step) => html`<li>${step.same ? "✓" : "✗"} ${step.tool} v${step.version}: <code>${shorten(show(step.replayed))}</code> ${step.note}</li>`)}</ul>
    <p class="hint">The calls were made again in the sandbox; ${of.model_calls_from_record} model calls were taken from the record.</p>
  </div>`;
}

function Waterfall({ trace }) {
  const [open, setOpen] = useState(null);
  const begin = Date.parse(trace.started_at);
  const whole = Math.max(trace.seconds, ...trace.spans.map((span) => (Date.parse(span.started_at) - begin) / 1000 + span.duration_s), 1e-6);
  const depth = new Map();
  const byId = new Map(trace.spans.map((span) => [span.id, span]));
  const level = (span) => {
    if (!depth.has(span.id)) depth.set(span.id, byId.has(span.parent_id) ? level(byId.get(span.parent_id)) + 1 : 0);
    return depth.get(span.id);
  };
  return html`<h2>Steps</h2><div class="waterfall">
    ${trace.spans.map((span) => {
      const left = Math.max(0, ((Date.parse(span.started_at) - begin) / 1000 / whole) * 100);
      const style = `left:${Math.min(left, 99.5)}%;width:${Math.max(0.3, Math.min((span.duration_s / whole) * 100, 100 - left))}%`;
      return html`<button class="span" aria-expanded=${open === span.id ? "true" : "false"} onClick=${() => setOpen(open === span.id ? null : span.id)}>
          <span class="name" style=${`padding-left:${level(span) * 12}px`} title=${span.name}>${span.name}</span>
          <span class="track"><i class=${span.status === "success" ? span.kind : span.status} style=${style}></i></span>
          <span class="took">${duration(span.duration_s)}</span>
        </button>
        ${open === span.id && html`<div class="card">
          <${Facts} of=${{ kind: span.kind, status: span.status, error: span.error }} />
          <h3>In</h3><pre tabindex="0">${show(span.input)}</pre><h3>Out</h3><pre tabindex="0">${show(span.output)}</pre>
          ${Object.keys(span.attributes).length > 0 && html`<h3>About</h3><pre tabindex="0">${show(span.attributes)}</pre>`}
        </div>`}`;
    })}
  </div>`;
}

const show = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

function Compare({ a, b }) {
  const both = useLoaded(() => Promise.all([get(`/api/traces/${a}`), get(`/api/traces/${b}`)]), a + b);
  return html`<div class="page"><p><a href="#/traces">Traces</a></p><h1>Two traces</h1>
    <${Loaded} of=${both}>${([first, second]) => {
      const rows = Math.max(first.spans.length, second.spans.length);
      const differs = [...Array(rows).keys()].find((at) => first.spans[at]?.name !== second.spans[at]?.name || show(first.spans[at]?.output) !== show(second.spans[at]?.output));
      return html`<p>${differs === undefined ? "Every step came out the same." : html`The first difference is at step <strong>${differs + 1}</strong>.`}</p>
        <div class="wide"><table class="full"><thead><tr><th>step</th><th><a href=${`#/traces/${a}`}>${shorten(first.request)}</a></th><th class="number">took</th><th><a href=${`#/traces/${b}`}>${shorten(second.request)}</a></th><th class="number">took</th></tr></thead><tbody>
          ${[...Array(rows).keys()].map((at) => html`<tr class=${at === differs ? "note" : ""}><td>${at + 1}</td>
            <td>${first.spans[at]?.name}<br /><code>${shorten(show(first.spans[at]?.output))}</code></td><td class="number">${duration(first.spans[at]?.duration_s)}</td>
            <td>${second.spans[at]?.name}<br /><code>${shorten(show(second.spans[at]?.output))}</code></td><td class="number">${duration(second.spans[at]?.duration_s)}</td></tr>`)}
        </tbody></table></div>`;
    }}<//>
  </div>`;
}
