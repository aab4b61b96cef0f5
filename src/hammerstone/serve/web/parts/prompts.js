// What models are told: every version of each prompt, how it did, and which one is used.
import { get, post } from "../api.js";
import { Loaded, Status, useLoaded, when, Wide } from "./pieces.js";
import { html, Problem, useState } from "../ui.js";

const SOURCES = { shipped: "came with the package", person: "yours", rewrite: "rewritten", search: "searched for" };
const percent = (share) => `${Math.round(share * 100)} %`;

export function Prompts({ governs }) {
  const prompts = useLoaded(() => get("/api/prompts"), "prompts");
  return html`<h2 id="prompts">Prompts</h2><p class="hint">What models are told. Each text can have other versions, which are tried on your cases before one is used.</p>
    <${Loaded} of=${prompts}>${(all) => all.map((one) => html`<${Prompt} of=${one} governs=${governs} again=${prompts.again} key=${one.name} />`)}<//>`;
}

function Prompt({ of, governs, again }) {
  const [versions, setVersions] = useState(null);
  const [error, setError] = useState(null);
  const [said, setSaid] = useState("");
  const load = () => get(`/api/prompts/${of.name}`).then(setVersions, setError);
  const toggled = (event) => event.target.open && !versions && load();
  const act = (what) => post(`/api/prompts/${of.name}/${what}`, {}).then((it) => { setSaid(it.done || `In use: ${it.version}.`); load(); again(); }, setError);
  const tried = (versions || []).some((one) => one.scores.length > 0);
  const changed = (versions || []).length > 1;
  return html`<details class="card" onToggle=${toggled}><summary><strong>${of.name}</strong> ${of.own && html`<${Status} of="yours" />`} <span class="soft">${of.purpose}</span></summary>
    ${versions && html`<${Versions} of=${versions} />`}
    ${!versions && !error && html`<p class="soft">Loading…</p>`}
    ${said && html`<p class="note" role="status">${said}</p>`}
    ${error && html`<${Problem} error=${error} />`}
    ${governs && versions && html`<div class="row">
      ${tried && html`<button type="button" class="primary" onClick=${() => act("best")}>Use the best</button>`}
      ${changed && html`<button type="button" onClick=${() => act("rollback")}>Back to the version before</button>`}</div>`}
    ${versions && !tried && html`<p class="hint">No version was tried yet: hammerstone prompts try ${of.name} --suite SUITE</p>`}
  </details>`;
}

function Versions({ of }) {
  return html`<${Wide}><table><thead><tr><th scope="col">Version</th><th scope="col">From</th><th scope="col">Score</th><th scope="col">Tried on</th><th scope="col">Model</th><th scope="col">When</th></tr></thead>
    <tbody>${of.flatMap((one) => (one.scores.length ? one.scores.slice(0, 3) : [null]).map((score) => html`<tr>
      <th scope="row">${one.version} ${one.in_force && html`<${Status} of="in use" />`}</th><td>${SOURCES[one.origin] || one.origin}</td>
      <td>${score ? percent(score.score) : "not tried"}</td><td>${score ? `${score.suite}, ${score.cases} cases` : ""}</td><td>${score ? html`<code>${score.model}</code>` : ""}</td>
      <td>${score ? when(score.at) : one.version === "shipped" ? "" : when(one.created_at)}</td></tr>`))}</tbody></table><//>`;
}
