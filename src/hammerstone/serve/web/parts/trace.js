// One trace: its steps as a tree with time bars, what each cost, and what went in and out.
import { get, post, query } from "../api.js";
import { duration, money, number, plural } from "../format.js";
import { Loaded, Status, useLoaded, when } from "./pieces.js";
import { Facts, html, Problem, useEffect, useRef, useState } from "../ui.js";
import { plain, Text, Value, visible } from "./value.js";

const SHOWN = 300; // rows drawn at once
const KINDS = { "": "every step", model: "model calls", sandbox: "runs in the sandbox", tool: "tool calls", search: "searches", problems: "only problems" };
const OPEN_FIRST = ["run", "step"];
export const NAMES = { prove: "Proof of ", examine: "Examination of ", skill: "Skill: " };

export const shorten = (value, most = 110) => {
  const text = visible(typeof value === "string" ? value : value ? plain(value) : "").replace(/\s+/g, " ");
  return text.length > most ? `${text.slice(0, most)} …` : text;
};

/** Trees as rows with a key, a level and who is above, in the order in which they are read. */
function rowsOf(steps, above = [], prefix = "") {
  return steps.flatMap((step, at) => {
    const key = `${prefix}${at}`;
    const row = { ...step, key, level: above.length + 1, above };
    return [row, ...rowsOf(step.steps, [...above, key], `${key}.`)];
  });
}

const holds = (row, kind) => !kind || (kind === "problems" ? row.status !== "success" : row.kind === kind);

export function TracePage({ id, replay }) {
  const [find, setFind] = useState("");
  const [sought, setSought] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSought(find.trim()), 250);
    return () => clearTimeout(timer);
  }, [find]);
  const trace = useLoaded(() => get(`/api/traces/${encodeURIComponent(id)}/tree?${query({ find: sought })}`), id + sought);
  return html`<div class="page broad"><p><a href="#/traces">All traces</a></p>
    <${Loaded} of=${trace}>${(it) => html`
      <header><h1>${NAMES[it.name] || ""}${shorten(it.request) || "Trace"}</h1><${Status} of=${it.status} /></header>
      <${Totals} it=${it} />
      <${Actions} it=${it} first=${replay} />
      <${Steps} it=${it} find=${find} setFind=${setFind} />
      <h2>Result</h2><${Text} of=${plain(told(it.final_output))} about="Result" />
    `}<//>
  </div>`;
}

/** A result without what is empty in it; a long record is easier to read so. */
function told(output) {
  if (output === null || typeof output !== "object" || Array.isArray(output)) return output;
  return Object.fromEntries(Object.entries(output).filter(([, value]) => value !== null && value !== "" && !(typeof value === "object" && !Object.keys(value).length)));
}

function Totals({ it }) {
  const cost = it.cost;
  return html`<${Facts} of=${{
    time: duration(it.seconds),
    steps: number(it.spans),
    "model calls": number(cost.model_calls),
    tokens: cost.model_calls ? `${number(cost.tokens_in)} read${cost.tokens_cached ? ` (${number(cost.tokens_cached)} known already)` : ""}, ${number(cost.tokens_out)} written` : null,
    price: cost.model_calls ? money(cost.usd) : null,
    started: when(it.started_at),
    session: it.session_id ? html`<a href=${`#/chat/${encodeURIComponent(it.session_id)}`}>open</a>` : null,
    error: it.error || null,
  }} />${it.record?.words.map((line) => html`<p class="hint">${line}</p>`)}<p class="hint">Trace <code>${it.id}</code></p>`;
}

/** What can be done with a trace: its calls again, or beside another one. */
function Actions({ it, first }) {
  const [again, setAgain] = useState(null);
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const others = useLoaded(() => get("/api/traces?limit=40"), it.id);
  const button = useRef(null);
  useEffect(() => first && button.current?.focus(), []);
  const replay = () => {
    setBusy(true);
    setError(null);
    post(`/api/traces/${it.id}/replay`).then(setAgain, setError).finally(() => setBusy(false));
  };
  const asked = JSON.stringify(it.request);
  const rest = (others.value || []).filter((one) => one.id !== it.id);
  const sorted = [...rest.filter((one) => JSON.stringify(one.request) === asked), ...rest.filter((one) => JSON.stringify(one.request) !== asked)];
  const compare = (event) => {
    event.preventDefault();
    const other = new FormData(event.target).get("other");
    if (other) location.hash = `#/traces/compare/${it.id}/${other}`;
  };
  return html`<div class="row">
      <button ref=${button} disabled=${busy} onClick=${replay} title="Makes the same calls of tools again in the sandbox; nothing is asked of a model">${busy ? "Running again …" : "Replay without a model"}</button>
      ${rest.length > 0 && html`<form class="row grow" onSubmit=${compare}><label>Compare with <select name="other">${sorted.map((one) => html`<option value=${one.id}>${NAMES[one.name] || ""}${shorten(one.request, 60) || one.id.slice(0, 8)}, ${duration(one.seconds)}</option>`)}</select></label><button>Compare</button></form>`}
    </div>
    ${error && html`<${Problem} error=${error} />`}
    ${again && html`<${Replayed} of=${again} />`}`;
}

function Replayed({ of }) {
  return html`<div class="card replayed" role="status">
    <strong>${of.steps.length === 0 ? "This trace called no tool, so there is nothing to run again." : of.same ? "Replayed: everything came out the same." : "Replayed: something differs."}</strong>
    ${of.difference && html`<p class="note">${of.difference}</p>`}
    ${of.steps.length > 0 && html`<ul>${of.steps.map((step) => html`<li><span class=${step.same ? "good" : "bad"}>${step.same ? "same" : "differs"}</span>: <a href=${`#/library/${encodeURIComponent(step.tool)}`}>${step.tool}</a> version ${step.version} gave <code>${shorten(step.replayed)}</code> ${step.note}</li>`)}</ul>
      <p class="hint">The calls were made again in the sandbox. ${plural(of.model_calls_from_record, "model call was", "model calls were")} taken from the record.</p>`}
  </div>`;
}

function Steps({ it, find, setFind }) {
  const all = rowsOf(it.steps);
  const [open, setOpen] = useState(() => new Set(all.filter((row) => OPEN_FIRST.includes(row.kind) && row.count === 1).map((row) => row.key)));
  const [kind, setKind] = useState("");
  const [picked, setPicked] = useState(null);
  const found = it.found && new Set(it.found);
  const fits = (row) => holds(row, kind) && (!found || found.has(row.id));
  const filtered = Boolean(kind || found);
  const kept = new Set(filtered ? all.filter(fits).flatMap((row) => [row.key, ...row.above]) : []);
  const rows = filtered ? all.filter((row) => kept.has(row.key)) : all.filter((row) => row.above.every((key) => open.has(key)));
  const toggle = (key, to) => {
    const next = new Set(open);
    if (to ?? !next.has(key)) next.add(key);
    else next.delete(key);
    setOpen(next);
  };
  return html`<div class="row between"><h2 class="grow">Steps</h2>
      <label>Show <select value=${kind} onChange=${(event) => setKind(event.target.value)}>${Object.entries(KINDS).map(([key, name]) => html`<option value=${key}>${name}</option>`)}</select></label>
      <input type="search" aria-label="Find in this trace" placeholder="Find in this trace" value=${find} onInput=${(event) => setFind(event.target.value)} />
      <button onClick=${() => setOpen(new Set(all.map((row) => row.key)))}>Open all</button>
      <button onClick=${() => setOpen(new Set(all.slice(0, 1).map((row) => row.key)))}>Close all</button></div>
    <p class="hint" role="status">${filtered ? `${plural(all.filter(fits).length, "step")} of ${number(it.spans)} ${found ? `hold “${find.trim()}”` : "shown"}` : ""}</p>
    <div class=${`tracesteps ${picked ? "with" : ""}`}>
      ${rows.length ? html`<${Tree} rows=${rows} whole=${it.seconds} open=${filtered ? kept : open} toggle=${toggle} picked=${picked} pick=${setPicked} />` : html`<p class="soft">No step fits. Choose “every step”, or look for something else.</p>`}
      ${picked && html`<${Detail} trace=${it.id} row=${picked} close=${() => setPicked(null)} key=${picked.key} />`}
    </div>`;
}

/** One stop for the Tab key; arrows move, open and close, Enter shows a step. */
function Tree({ rows, whole, open, toggle, picked, pick }) {
  const [at, setAt] = useState(rows[0].key);
  const [most, setMost] = useState(SHOWN);
  const box = useRef(null);
  const drawn = rows.slice(0, most);
  const here = Math.max(0, drawn.findIndex((row) => row.key === at));
  const go = (place) => {
    const row = drawn[Math.max(0, Math.min(place, drawn.length - 1))];
    setAt(row.key);
    box.current.querySelector(`[data-key="${row.key}"]`)?.focus();
  };
  const keyed = (event) => {
    const row = drawn[here];
    const moves = {
      ArrowDown: () => go(here + 1),
      ArrowUp: () => go(here - 1),
      Home: () => go(0),
      End: () => go(drawn.length - 1),
      ArrowRight: () => (row.steps.length && !open.has(row.key) ? toggle(row.key, true) : go(here + 1)),
      ArrowLeft: () => (row.steps.length && open.has(row.key) ? toggle(row.key, false) : go(drawn.findIndex((one) => one.key === row.above.at(-1)))),
      Enter: () => act(row),
      " ": () => act(row),
    };
    if (!moves[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    moves[event.key]();
  };
  const act = (row) => (row.id ? pick(row) : toggle(row.key));
  return html`<div><div class="waterfall" role="tree" aria-label="Steps" ref=${box} onKeyDown=${keyed}>
      ${drawn.map((row, place) => html`<${Row} row=${row} whole=${whole} key=${row.key} open=${open.has(row.key)} first=${place === here} chosen=${picked?.key === row.key}
        onReach=${() => setAt(row.key)} onToggle=${() => toggle(row.key)} onPick=${() => act(row)} />`)}
    </div>
    ${rows.length > most && html`<button onClick=${() => setMost(most + SHOWN)}>Show ${Math.min(SHOWN, rows.length - most)} more of ${number(rows.length - most)}</button>`}</div>`;
}

function Row({ row, whole, open, first, chosen, onReach, onToggle, onPick }) {
  const bars = row.bars.map(([start, seconds]) => {
    const left = Math.min((start / (whole || 1)) * 100, 99.5);
    return `left:${left}%;width:${Math.max(0.4, Math.min((seconds / (whole || 1)) * 100, 100 - left))}%`;
  });
  const left = row.steps.length ? html`<i class="fold" aria-hidden="true" onClick=${(event) => { event.stopPropagation(); onToggle(); }}>${open ? "▾" : "▸"}</i>` : html`<i class="fold" aria-hidden="true"></i>`;
  const cost = row.cost && html`<span class="cost">${number(row.cost.tokens)} tokens${row.cost.usd ? `, ${money(row.cost.usd)}` : ""}</span>`;
  return html`<div class="span" role="treeitem" data-key=${row.key} tabindex=${first ? 0 : -1} aria-level=${row.level} aria-expanded=${row.steps.length ? (open ? "true" : "false") : null} aria-selected=${chosen ? "true" : "false"} onClick=${onPick}>
    <span class="name" style=${`padding-left:${(row.level - 1) * 14}px`} title=${visible(row.about)}>${left}<b>${visible(row.title)}</b>${row.count > 1 ? `, ${plural(row.count, "call")}` : ""}${row.status !== "success" ? html` <span class="bad">${visible(row.error || row.status)}</span>` : ""} ${row.count === 1 && html`<span class="soft">${visible(row.about)}</span>`}</span>
    <span class="track">${bars.map((style) => html`<i class=${row.status === "success" ? row.kind : "error"} style=${style}></i>`)}</span>
    ${cost || html`<span class="cost"></span>`}<span class="took">${duration(row.seconds)}</span>
    ${row.left_out > 0 && html`<span class="hint">${number(row.left_out)} more are counted here and not listed</span>`}
  </div>`;
}

function Detail({ trace, row, close }) {
  const span = useLoaded(() => get(`/api/traces/${trace}/spans/${row.id}`), row.id);
  const box = useRef(null);
  useEffect(() => matchMedia("(max-width: 720px)").matches && box.current.scrollIntoView({ block: "nearest" }), [span.value]);
  return html`<aside class="card detail" aria-label="The chosen step" ref=${box}><div class="row"><h3 class="grow">${visible(row.title)}</h3><button class="quiet" onClick=${close}>Close</button></div>
    <${Loaded} of=${span}>${(it) => html`
      <${Facts} of=${{
        time: duration(it.duration_s),
        model: it.attributes["gen_ai.request.model"] || null,
        read: row.cost ? `${number(row.cost.tokens_in)} tokens${row.cost.tokens_cached ? ` (${number(row.cost.tokens_cached)} known already)` : ""}` : null,
        written: row.cost ? `${number(row.cost.tokens_out)} tokens` : null,
        price: row.cost ? money(row.cost.usd) : null,
        tool: it.attributes["gen_ai.tool.name"] ? html`<a href=${`#/library/${encodeURIComponent(it.attributes["gen_ai.tool.name"])}`}>${it.attributes["gen_ai.tool.name"]}</a>` : null,
      }} />
      ${it.error && html`<p class="bad">${visible(it.error)}</p>`}
      ${it.input !== null && html`<h4>Given</h4><${Value} of=${it.input} about="Given" />`}
      ${it.output !== null && html`<h4>Result</h4><${Value} of=${it.output} about="Result" replies=${it.kind === "model"} />`}
      ${it.input === null && it.output === null && html`<p class="soft">Nothing else was kept of this step.</p>`}
      <details><summary>Technical details</summary><${Text} of=${plain({ name: it.name, kind: it.kind, status: it.status, span: it.id, ...it.attributes })} about="Technical details" /></details>
    `}<//>
  </aside>`;
}
