// What happened: the list of traces with its filters; one trace and a comparison have their own parts.
import { get, query } from "../api.js";
import { Compare } from "../parts/compare.js";
import { NAMES, shorten, TracePage } from "../parts/trace.js";
import { duration, money, number } from "../format.js";
import { Empty, Loaded, Status, useLoaded, when, Wide } from "../parts/pieces.js";
import { html, useEffect, useState } from "../ui.js";

const SINCE = { "": "any time", 1: "the last hour", 24: "the last day", 168: "the last week" };
const STATUSES = { "": "all", success: "went well", error: "failed", timeout: "took too long" };
const ROWS = 100;

export default function Traces({ rest }) {
  if (rest[0] === "compare") return html`<${Compare} a=${rest[1] || ""} b=${rest[2] || ""} key=${rest.join()} />`;
  if (rest[0] === "session") return html`<${List} session=${rest[1]} key=${rest[1]} />`;
  return rest[0] ? html`<${TracePage} id=${rest[0]} replay=${rest[1] === "replay"} key=${rest[0]} />` : html`<${List} />`;
}

function List({ session = "" }) {
  const [status, setStatus] = useState("");
  const [hours, setHours] = useState("");
  const [typed, setTyped] = useState("");
  const [text, setText] = useState("");
  const [limit, setLimit] = useState(ROWS);
  const [picked, setPicked] = useState([]);
  useEffect(() => {
    const timer = setTimeout(() => setText(typed.trim()), 250);
    return () => clearTimeout(timer);
  }, [typed]);
  const since = hours ? new Date(Date.now() - Number(hours) * 3.6e6).toISOString() : "";
  const traces = useLoaded(() => get(`/api/traces?${query({ status, text, session, since, limit })}`), [status, hours, text, session, limit].join("\n"));
  const pick = (id) => setPicked(picked.includes(id) ? picked.filter((one) => one !== id) : [...picked, id].slice(-2));
  const filtered = status || hours || text || session;
  return html`<div class="page">
    <header><h1>Traces</h1><span class="grow"></span>
      ${picked.length === 2 ? html`<a class="button primary" href=${`#/traces/compare/${picked[0]}/${picked[1]}`}>Compare the two</a>` : html`<span class="hint">Tick two to compare them</span>`}
    </header>
    <div class="row filters">
      <input class="grow" type="search" aria-label="Find in what was asked" placeholder="Find in what was asked" value=${typed} onInput=${(event) => setTyped(event.target.value)} />
      <label>Ended <select value=${status} onChange=${(event) => setStatus(event.target.value)}>${Object.entries(STATUSES).map(([key, name]) => html`<option value=${key}>${name}</option>`)}</select></label>
      <label>From <select value=${hours} onChange=${(event) => setHours(event.target.value)}>${Object.entries(SINCE).map(([key, name]) => html`<option value=${key}>${name}</option>`)}</select></label>
      <button onClick=${traces.again}>Refresh</button>
    </div>
    ${session && html`<p>Only of one session. <a href="#/traces">Show all</a></p>`}
    <${Loaded} of=${traces}>${(rows) => rows.length
      ? html`<${Wide} about="Traces"><table class="full stacks"><thead><tr><td></td><th scope="col">asked</th><th scope="col">ended</th><th scope="col" class="number">time</th><th scope="col" class="number">tokens</th><th scope="col" class="number">price</th><th scope="col">when</th></tr></thead><tbody>
          ${rows.map((row) => html`<tr key=${row.id}>
            <td><label class="tick"><input type="checkbox" aria-label=${`Compare: ${shorten(row.request, 60) || row.id.slice(0, 8)}`} checked=${picked.includes(row.id)} onChange=${() => pick(row.id)} /></label></td>
            <td><a href=${`#/traces/${row.id}`}>${NAMES[row.name] || ""}${shorten(row.request) || row.id.slice(0, 8)}</a></td>
            <td><${Status} of=${row.status} /></td><td class="number">${duration(row.seconds)}</td>
            <td class=${row.cost?.tokens ? "number" : "number none"}>${row.cost?.tokens ? number(row.cost.tokens) : "–"}</td><td class=${row.cost?.usd ? "number" : "number none"}>${row.cost?.usd ? money(row.cost.usd) : "–"}</td><td>${when(row.started_at)}</td>
          </tr>`)}
        </tbody></table><//>
        ${rows.length === limit && limit < 1000 && html`<button onClick=${() => setLimit(Math.min(1000, limit + 4 * ROWS))}>Show older ones</button>`}`
      : filtered
        ? html`<${Empty}>No trace fits. Look for another word, or choose “any time”.<//>`
        : html`<${Empty}>Nothing was asked yet. <a href="#/chat">Ask for something</a>, and each step of the answer can be seen here.<//>`}<//>
  </div>`;
}
