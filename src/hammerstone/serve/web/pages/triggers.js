// Requests that start by themselves: what there is, what each did, and its numbers over time.
import { get, post, remove } from "../api.js";
import { Empty, Loaded, Status, useLoaded, when, Wide } from "../parts/pieces.js";
import { Plot } from "../parts/result.js";
import { NewTrigger } from "../parts/newtrigger.js";
import { Confirm, Facts, html, Problem, useState } from "../ui.js";

export default function Triggers({ rest }) {
  return rest[0] ? html`<${One} name=${rest[0]} key=${rest[0]} />` : html`<${All} />`;
}

function All() {
  const all = useLoaded(() => get("/api/triggers"), "triggers");
  const log = useLoaded(() => get("/api/triggers/log?limit=30"), "log");
  const settings = useLoaded(() => get("/api/settings"), "settings");
  const [adding, setAdding] = useState(false);
  const again = () => {
    all.again();
    log.again();
  };
  const governs = settings.value?.rights.includes("govern");
  return html`<div class="page">
    <header><h1>Triggers</h1><span class="grow"></span><button onClick=${again}>Refresh</button>
      ${governs && html`<button class="primary" aria-expanded=${adding} onClick=${() => setAdding(!adding)}>Add a trigger</button>`}</header>
    <p class="hint">A signed call, a time of day, a new file or a message in a chat starts a request. Each trigger works for one person, within its own limits.</p>
    ${adding && html`<${NewTrigger} done=${again} />`}
    <${Loaded} of=${all}>${(rows) => rows.length ? html`<${List} rows=${rows} governs=${governs} again=${again} />` : html`<${Empty}>No triggers yet. <code>hammerstone demo</code> in a terminal sets three up to try.<//>`}<//>
    <h2>What they did</h2>
    <${Loaded} of=${log}>${(rows) => html`<${Log} rows=${rows} named=${true} />`}<//>
  </div>`;
}

function List({ rows, governs, again }) {
  const [error, setError] = useState(null);
  const turn = (one) => post(`/api/triggers/${encodeURIComponent(one.name)}/${one.state === "paused" ? "resume" : "pause"}`, {}).then(again, setError);
  return html`${error && html`<${Problem} error=${error} />`}
    <${Wide} about="Triggers"><table class="full stacks">
      <thead><tr><th scope="col">name</th><th scope="col">kind</th><th scope="col">state</th><th scope="col">starts with</th><th scope="col">last</th><th scope="col">for</th><td></td></tr></thead>
      <tbody>${rows.map((one) => html`<tr>
        <th scope="row"><a href=${`#/triggers/${one.name}`}>${one.name}</a></th><td>${one.kind}</td><td><${Status} of=${one.state} /></td>
        <td>${starts(one)}</td><td>${one.last ? html`<${Status} of=${one.last.state} /> ${when(one.last.at)}` : "never"}</td><td>${one.user}</td>
        <td class="act">${governs && html`<button aria-label=${`${one.state === "paused" ? "Resume" : "Pause"} ${one.name}`} onClick=${() => turn(one)}>${one.state === "paused" ? "Resume" : "Pause"}</button>`}</td>
      </tr>`)}</tbody></table><//>`;
}

const starts = (one) => {
  if (one.kind === "schedule") return html`<code>${one.config.cron}</code> in ${one.config.zone}${one.next_at ? html`, next ${when(one.next_at)}` : ""}`;
  if (one.kind === "folder") return html`a file <code>${one.config.pattern}</code> in <code style="overflow-wrap:anywhere">${one.config.folder}</code>`;
  if (one.kind === "webhook") return html`a signed call to <code>/hooks/${one.name}</code>`;
  return `a message in ${one.config.channels.join(", ") || "all its channels"}`;
};

function One({ name }) {
  const at = `/api/triggers/${encodeURIComponent(name)}`;
  const trigger = useLoaded(() => get(at), name);
  const log = useLoaded(() => get(`${at}/log?limit=100`), name);
  const history = useLoaded(() => get(`${at}/history`), name);
  const [error, setError] = useState(null);
  const [going, setGoing] = useState(false);
  const [busy, setBusy] = useState(false);
  const again = () => [trigger, log, history].forEach((one) => one.again());
  const act = (what) => {
    setError(null);
    setBusy(true);
    post(`${at}/${what}`, {}).then(again, setError).finally(() => setBusy(false));
  };
  const gone = () => remove(at).then(() => (location.hash = "#/triggers"), setError).finally(() => setGoing(false));
  return html`<div class="page"><p><a href="#/triggers">Triggers</a></p>
    <${Loaded} of=${trigger}>${(one) => html`
      <header><h1>${one.name}</h1><${Status} of=${one.state} /><span class="grow"></span>
        <button disabled=${busy} onClick=${() => act("run")}>Run once now</button>
        <button disabled=${busy} onClick=${() => act(one.state === "paused" ? "resume" : "pause")}>${one.state === "paused" ? "Resume" : "Pause"}</button>
        <button onClick=${() => setGoing(true)}>Remove</button></header>
      ${error && html`<${Problem} error=${error} />`}
      <p>${one.request || "What is asked is what is written in the chat."}</p>
      <${Facts} of=${{
        kind: one.kind, "starts with": starts(one), "works for": one.user, "answers go to": one.answers,
        "maturity level": one.limits.level || "the agent's own", tools: one.limits.tools ? one.limits.tools.join(", ") : "all",
        "requests today": of(one.today.runs, one.limits.runs_a_day), "tokens today": of(one.today.tokens, one.limits.tokens_a_day),
      }} />`}<//>
    ${history.value && history.value.points.length > 0 && html`<${History} of=${history.value} />`}
    <h2>What it did</h2>
    <${Loaded} of=${log}>${(rows) => html`<${Log} rows=${rows} />`}<//>
    ${going && html`<${Confirm} title=${`Remove ${name}?`} yes="Remove it" onYes=${gone} onNo=${() => setGoing(false)}><p>Its secret and its log go with it. Its runs and traces stay.</p><//>`}
  </div>`;
}

const of = (used, limit) => (limit === null ? `${used}, no limit` : `${used.toLocaleString("en")} of ${limit.toLocaleString("en")}`);

function History({ of: { series, points } }) {
  const x = points.map((one) => Date.parse(one.at) / 1000);
  const lines = series.slice(0, 4).map((name) => ({ label: name, values: points.map((one) => one.values[name] ?? null) }));
  const noted = points.filter((one) => one.note);
  const last = points[points.length - 1];
  return html`<section><h2>Its numbers over time</h2>
    ${last.note && html`<p class="note" role="status">${last.note}</p>`}
    ${points.length > 1 ? html`<${Plot} title="values over time" x=${x} series=${lines} time=${true} height=${240} />` : html`<p>One value so far: ${text(last.values)}. A plot comes with the second.</p>`}
    <details><summary>${points.length} values${noted.length ? `, ${noted.length} unusual` : ""}</summary>
      <${Wide} about="Values"><table class="full stacks"><thead><tr><th scope="col">when</th><th scope="col">value</th><th scope="col">note</th></tr></thead>
      <tbody>${[...points].reverse().slice(0, 200).map((one) => html`<tr><td>${when(one.at)}</td><td>${text(one.values)}</td><td>${one.note}</td></tr>`)}</tbody></table><//></details>
  </section>`;
}

const number = (value) => (Number.isInteger(value) ? value.toLocaleString("en") : String(Number(value.toPrecision(6))));
const text = (values) => (values ? Object.entries(values).map(([name, value]) => (name === "value" ? number(value) : `${name} ${number(value)}`)).join(", ") : "");

function Log({ rows, named }) {
  if (rows.length === 0) return html`<p class="soft">Nothing yet.</p>`;
  return html`<${Wide} about="What triggers did"><table class="full stacks">
    <thead><tr><th scope="col">when</th>${named && html`<th scope="col">trigger</th>`}<th scope="col">result</th><th scope="col">value</th><th scope="col">about</th><td></td></tr></thead>
    <tbody>${rows.map((row) => html`<tr>
      <td>${when(row.at)}</td>${named && html`<td><a href=${`#/triggers/${row.trigger}`}>${row.trigger}</a></td>`}
      <td><${Status} of=${row.state} />${row.count > 1 ? ` ${row.count} times` : ""}</td><td>${text(row.value)}</td>
      <td>${[row.note, row.reason].filter(Boolean).join(" ")}</td>
      <td class="act">${row.trace_id && html`<a href=${`#/traces/${row.trace_id}`}>trace</a> <a href=${`#/chat/${row.session_id}`}>run</a>`}</td>
    </tr>`)}</tbody></table><//>`;
}
