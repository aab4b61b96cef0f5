// The tools: found with reasons, read, tried, restored.
import { get, getPage, post, query } from "../api.js";
import { AnswerCard } from "../parts/answer.js";
import { byWhom, ToolEvidence } from "../parts/evidence.js";
import { SchemaForm } from "../parts/form.js";
import { percent, times } from "../format.js";
import { Empty, Loaded, Status, Tabs, useLoaded, when, Wide } from "../parts/pieces.js";
import { Facts, html, Problem, useEffect, useState } from "../ui.js";

export default function Library({ rest }) {
  return rest[0] ? html`<${ToolPage} name=${rest[0]} first=${rest[1]} key=${rest.join("/")} />` : html`<${Shelf} />`;
}

function Shelf() {
  const [text, setText] = useState("");
  const tools = useLoaded(() => getPage("/api/tools"), "tools");
  const [found, setFound] = useState(null);
  useEffect(() => {
    if (!text.trim()) return setFound(null);
    const timer = setTimeout(() => get(`/api/search?${query({ q: text, limit: 20 })}`).then(setFound, () => setFound(null)), 200);
    return () => clearTimeout(timer);
  }, [text]);
  return html`<div class="page">
    <header>
      <h1>Library</h1>
      <input class="grow" type="search" aria-label="Search tools" placeholder="What should the tool do?" value=${text} onInput=${(event) => setText(event.target.value)} />
    </header>
    <${Loaded} of=${tools}>${(all) => {
      if (!all.items.length && !all.next) return html`<${Empty}>The library is empty. <a href="#/chat">Ask for something</a>, and the first tool is built.<//>`;
      if (!found) return html`<${Cards} of=${all} />`;
      const byName = new Map(found.tools.map((tool) => [tool.name, tool]));
      return html`
        <p class="soft">${found.words_only && html`<span class="hint">Only words are compared: ${found.words_only}.</span> `}${found.fit ? html`The first one fits with a chance of <strong>${percent(found.fit.probability)}</strong>, so for this request ${fitWords(found.fit.band)}.` : "No tool is near this. Ask for it in the chat, and a new one is built."}</p>
        <div class="grid">${found.hits.filter((hit) => byName.has(hit.name)).map((hit) => html`<${Card} tool=${byName.get(hit.name)} hit=${hit} />`)}</div>`;
    }}<//>
    ${!found && html`<${Skills} />`}
  </div>`;
}

/** Tools by name, and a button for those behind them: a library may have a million. */
function Cards({ of }) {
  const [shown, setShown] = useState(of);
  const [error, setError] = useState(null);
  useEffect(() => setShown(of), [of]);
  const more = () => getPage(shown.next).then((page) => setShown({ ...page, items: [...shown.items, ...page.items] }), setError);
  return html`<div class="grid">${shown.items.map((tool) => html`<${Card} key=${tool.name} tool=${tool} />`)}</div>
    ${error && html`<${Problem} error=${error} />`}
    ${shown.next && html`<p><button onClick=${more}>Show more</button></p>`}`;
}

function Skills() {
  const skills = useLoaded(() => get("/api/skills"), "skills");
  const [open, setOpen] = useState(null);
  if (!skills.value || !skills.value.length) return null;
  return html`<h2>Skills</h2><p class="hint">Instructions and scripts that were imported or written by the model. Their scripts run in the sandbox.</p>
    <div class="grid">${skills.value.map((skill) => html`<article class="card"><h3><button class="link" onClick=${() => get(`/api/skills/${encodeURIComponent(skill.name)}`).then(setOpen)}>${skill.name}</button></h3><p>${skill.description}</p></article>`)}</div>
    ${open && html`<div class="card"><h3>${open.name}</h3><pre tabindex="0">${open.body}</pre>${open.files.length > 0 && html`<p class="soft">${open.files.join(", ")}</p>`}</div>`}`;
}

const EFFECTS = { pure: "none: it only computes", reads: "reads files or pages", writes: "writes: asks you first" };

const fitWords = (band) => ({ high: "it would be run", middle: "it would be checked first", low: "a new tool would be built" })[band] || band;

function Card({ tool, hit }) {
  return html`<article class="card">
    <h2><a href=${`#/library/${encodeURIComponent(tool.name)}`}>${tool.name}</a></h2>
    <p>${tool.description}</p>
    <p class="about"><${Status} of=${tool.status} /> ${tool.confidence !== null && html`<span>${percent(tool.confidence)} sure</span>`} <span>${times(tool.uses)}</span></p>
    ${hit && html`<details><summary>why it was found</summary><${Explained} of=${hit} /></details>`}
  </article>`;
}

const PARTS = { cosine: "similar meaning", words: "same words", learned: "right for earlier requests", success: "went well before", frequency: "often used" };

/** What a place in the list is made of, each part from 0 to 1. */
function Explained({ of }) {
  return html`<table><tbody>${Object.entries(PARTS).filter(([key]) => typeof of[key] === "number").map(([key, name]) => html`<tr><th scope="row">${name}</th><td class="number"><meter min="0" max="1" value=${of[key]} aria-label=${name}></meter> ${percent(of[key])}</td></tr>`)}</tbody></table>
    ${of.named && html`<p class="hint">Your words name this tool.</p>`}${of.same_wording && html`<p class="hint">It answered the same words with other values before.</p>`}
    ${of.unfilled > 0 && html`<p class="hint">Your words do not give all the numbers it needs.</p>`}`;
}

function ToolPage({ name, first = "promise" }) {
  const tool = useLoaded(() => get(`/api/tools/${encodeURIComponent(name)}`), name);
  const [tab, setTab] = useState(first);
  const TABS = { promise: "What it does", try: "Try it", code: "Code", tests: "Tests", evidence: "Why trust it", versions: "Versions" };
  return html`<div class="page"><p><a href="#/library">Library</a></p>
    <${Loaded} of=${tool}>${(it) => html`
      <header><h1>${it.name}</h1><${Status} of=${it.status} /></header>
      <p>${it.description}</p>
      <${Facts} of=${{
        sure: it.confidence === null ? null : percent(it.confidence),
        "mistakes its tests notice": it.evidence.mutation_score === undefined ? null : percent(it.evidence.mutation_score),
        version: it.version,
        effect: EFFECTS[it.effect] || it.effect,
        tests: it.suite.length + it.hidden_cases,
        used: it.uses,
        "went well": it.uses ? percent(it.successes / it.uses) : null,
      }} />
      <${Tabs} about="About this tool" of=${TABS} chosen=${tab} choose=${setTab}>
        ${tab === "try" && html`<${TryIt} it=${it} />`}
        ${tab === "promise" && html`<${Promised} it=${it} />`}
        ${tab === "code" && html`<pre tabindex="0">${it.code}</pre>`}
        ${tab === "tests" && html`<${Cases} it=${it} />`}
        ${tab === "evidence" && html`<${Evidence} it=${it} />`}
        ${tab === "versions" && html`<${Versions} it=${it} again=${tool.again} />`}
      <//>
    `}<//>
  </div>`;
}

function Promised({ it }) {
  const required = new Set(it.parameters.required || []);
  return html`
    <h2>Needs</h2>
    <${Wide} about="Parameters"><table class="full"><thead><tr><th scope="col">name</th><th scope="col">type</th><th scope="col">what it is</th></tr></thead><tbody>
      ${Object.entries(it.parameters.properties || {}).map(([name, schema]) => html`<tr><td><code>${name}</code>${required.has(name) ? "" : " (optional)"}</td><td>${typeName(schema)}</td><td>${schema.description || ""}</td></tr>`)}
    </tbody></table><//>
    <h2>Gives</h2><p>${typeName(it.returns)} ${it.returns.description ? `: ${it.returns.description}` : ""}</p>
    ${it.edge_cases.length > 0 && html`<h2>Special cases</h2><ul>${it.edge_cases.map((one) => html`<li>${one}</li>`)}</ul>`}
    <h2>Comes from</h2><p>${it.provenance.request === "asked by another person" ? "a request of another person" : it.provenance.request ? html`the request <q>${it.provenance.request}</q>` : it.provenance.source || "an unknown place"}${it.provenance.model ? `, written by ${it.provenance.model}` : ""}</p>`;
}

function typeName(schema) {
  if (!schema) return "anything";
  if (schema.enum) return schema.enum.join(" | ");
  if (schema.type === "array") return `list of ${typeName(schema.items)}`;
  return Array.isArray(schema.type) ? schema.type.join(" or ") : schema.type || "anything";
}

function Cases({ it }) {
  const rows = (cases) => cases.map((one) => html`<tr><td><code>${one.text}</code></td><td>${byWhom(one.origin)}</td><td class="number">${one.support === null ? "" : percent(one.support)}</td><td>${one.note}</td></tr>`);
  const head = html`<thead><tr><th scope="col">test</th><th scope="col">by</th><th scope="col" class="number">believed</th><th scope="col">note</th></tr></thead>`;
  return html`
    <h2>Kept: ${it.suite.length + it.hidden_cases}</h2>${it.hidden_cases > 0 && html`<p class="hint">${it.hidden_cases} of them hold another person's values: they count, and are not shown.</p>`}<${Wide} about="Tests kept"><table class="full">${head}<tbody>${rows(it.suite)}</tbody></table><//>
    ${it.rejected.length > 0 && html`<h2>Thrown away: ${it.rejected.length}</h2><p class="hint">The tests that a model writes are sometimes wrong. These contradict most of the programs and the other tests.</p><${Wide} about="Tests thrown away"><table class="full">${head}<tbody>${rows(it.rejected)}</tbody></table><//>`}`;
}

function Evidence({ it }) {
  return html`${it.trust && html`<h2>Trust from use</h2><p><meter min="0" max="1" value=${it.trust.chance} aria-label="chance that the next answer is right"></meter> ${percent(it.trust.chance)}, between ${percent(it.trust.low)} and ${percent(it.trust.high)}</p><ul>${it.trust_words.slice(1).map((one) => html`<li>${one}</li>`)}</ul>`}
    <${ToolEvidence} evidence=${it.evidence} words=${it.evidence_words} />
    <h2>Standing over time</h2>
    ${it.towards_trusted && html`<p>${it.towards_trusted}</p>`}
    ${it.assessments.length ? html`<table><tbody>${it.assessments.map((one) => html`<tr><td>${when(one.at)}</td><td><${Status} of=${one.status} /></td><td class="number">${percent(one.confidence)} sure</td></tr>`)}</tbody></table>` : html`<p class="soft">It was never examined.</p>`}`;
}

function Versions({ it, again }) {
  const [error, setError] = useState(null);
  const [diff, setDiff] = useState(null);
  const restore = (version) => post(`/api/tools/${encodeURIComponent(it.name)}/restore`, { version }).then(again, setError);
  const compare = (version) => get(`/api/tools/${encodeURIComponent(it.name)}/diff?${query({ old: version, new: it.version })}`).then(setDiff, setError);
  return html`
    ${error && html`<${Problem} error=${error} />`}
    <table class="full"><thead><tr><th>version</th><th>made</th><td></td></tr></thead><tbody>
      ${it.versions.map((one) => html`<tr>
        <td>${one.version} ${one.active && html`<${Status} of="active" />`}</td><td>${when(one.created_at)}</td>
        <td>${!one.active && html`<span class="row"><button onClick=${() => compare(one.version)}>Compare</button><button onClick=${() => restore(one.version)}>Restore</button></span>`}</td>
      </tr>`)}
    </tbody></table>
    ${diff && html`<h2>Version ${diff.old} and version ${diff.new}</h2><pre tabindex="0" class="diff">${diff.diff.length ? diff.diff.map((line) => html`<div class=${line.startsWith("+") ? "add" : line.startsWith("-") ? "del" : ""}>${line || " "}</div>`) : "The code is the same."}</pre>`}
    <h2>How it came about</h2>
    <ul>${it.moves.map((move) => html`<li>${when(move.at)}: ${move.decision.kind} by ${move.decision.who}${move.decision.reason ? `: ${move.decision.reason}` : ""}</li>`)}</ul>`;
}

function TryIt({ it }) {
  const [answer, setAnswer] = useState(null);
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const run = (given) => {
    setBusy(true);
    setError(null);
    post(`/api/tools/${encodeURIComponent(it.name)}/run`, { arguments: given })
      .then(setAnswer, setError)
      .finally(() => setBusy(false));
  };
  return html`<${SchemaForm} parameters=${it.parameters} run=${run} busy=${busy} />
    ${error && html`<${Problem} error=${error} />`}
    ${answer && html`<${AnswerCard} run=${{ answer, steps: [] }} />`}`;
}
