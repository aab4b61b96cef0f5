// Which model does what, how careful it is, the numbers that decide, and the switch that stops it.
import { get, post, remove } from "../api.js";
import { ActionText, ActionWords } from "../parts/asks.js";
import { Exchange } from "../parts/exchange.js";
import { Policies } from "../parts/policies.js";
import { Prompts } from "../parts/prompts.js";
import { Doctor, SandboxProof } from "../parts/proof.js";
import { Loaded, Status, useLoaded, when } from "../parts/pieces.js";
import { Workers } from "../parts/workers.js";
import { Facts, html, Problem, useSettled, useState } from "../ui.js";

export default function Settings() {
  const settings = useLoaded(() => get("/api/settings"), "settings");
  const health = useLoaded(() => get("/health"), "health");
  const governs = settings.value?.rights.includes("govern");
  return html`<div class="page">
    <header><h1>Settings</h1></header>
    <${StopSwitch} governs=${governs} />
    <${Approvals} />
    <h2>Health</h2>
    <${Loaded} of=${health}>${(it) => html`<${Health} of=${it} />`}<//>
    ${governs && html`<${Doctor} /><${SandboxProof} />`}
    ${governs && html`<${Workers} />`}
    <h2>Models</h2>
    <${Loaded} of=${settings}>${(it) => html`
      <table><tbody>${Object.entries(it.models).map(([role, model]) => html`<tr><th scope="row">${ROLES[role] || role}</th><td><code>${model}</code></td></tr>`)}</tbody></table>
      <${Facts} of=${{ you: `${it.user} (${it.role})`, "search by meaning": it.embedder, sandbox: it.sandbox, folder: it.data_dir }} />
      <p class="hint">To use another model, set HAMMERSTONE_MODEL or write it into hammerstone.toml; docs/settings.md shows how. Keys are never shown here.</p>`}<//>
    <${Prompts} governs=${governs} />
    <${Policies} governs=${governs} />
    ${governs && html`<${Exchange} />`}
  </div>`;
}

const ROLES = { planner: "reads the request", coder: "writes programs", tester: "writes tests", judge: "judges disagreements", responder: "writes answers in words" };

/** Whether all is well, and of what is not, the cause and when it is tried again. */
function Health({ of }) {
  const resting = Object.entries(of.breakers || {}).filter(([, phase]) => phase !== "closed").length;
  return html`<${Facts} of=${{ engine: of.status === "ok" ? "works" : of.status, model: of.model, sandbox: of.sandbox, search: `by ${of.search}`, tools: of.tools, database: of.database }} />
    ${(of.troubles || []).map((line) => html`<p class="note" role="status">${line}</p>`)}
    ${resting > 0 && !(of.troubles || []).length && html`<p class="note">${resting} service failed and is tried again with the next request.</p>`}`;
}

function StopSwitch({ governs }) {
  const stops = useLoaded(() => get("/api/stops"), "stops");
  const [error, setError] = useState(null);
  const all = (stops.value || []).some((stop) => stop.scope === "all");
  const stop = () => post("/api/stops", { scope: "all", why: "from the web app" }).then(stops.again, setError);
  const resume = () => remove("/api/stops?scope=all").then(stops.again, setError);
  return html`<section class="card">
    <div class="row"><div class="grow"><strong>${all ? "Everything is stopped." : "Hammerstone is working."}</strong><br /><span class="hint">Stopping ends everything that runs within about a second. Nothing starts again before you press Resume.</span></div>
      ${!governs ? "" : all ? html`<button class="primary" onClick=${resume}>Resume</button>` : html`<button class="danger" onClick=${stop}>Stop everything</button>`}</div>
    ${(stops.value || []).filter((one) => one.scope !== "all").map((one) => html`<p>The ${one.scope} ${one.target} was stopped by ${one.who}, ${when(one.at)}</p>`)}
    ${(error || stops.error) && html`<${Problem} error=${error || stops.error} />`}
  </section>`;
}

function Approvals() {
  const waiting = useLoaded(() => get("/api/approvals"), "approvals");
  const [error, setError] = useState(null);
  const decide = (id, body) => post(`/api/approvals/${id}`, body).then(waiting.again, setError);
  const settled = useSettled((waiting.value || []).map((one) => one.id).join(" "));
  return html`<h2>Waiting for your answer</h2>
    ${error && html`<${Problem} error=${error} />`}
    <${Loaded} of=${waiting}>${(all) => all.length
      ? all.map((one) => html`<div class="card" key=${one.id}>${one.words ? html`<h3>${one.words.question}</h3><${ActionWords} of=${one.words} whole=${one.whole} />` : html`<${ActionText} text=${one.text} whole=${one.whole} />`}<p class="hint">Asked ${when(one.asked_at)}; answer before ${when(one.expires_at)}.</p>
          ${one.kind === "question"
            ? html`<div class="choices">${one.choices.map((text) => html`<button onClick=${() => decide(one.id, { answer: text })}>${text}</button>`)}</div>`
            : html`<div class="row"><button onClick=${() => decide(one.id, { given: false })}>Refuse</button><button disabled=${!settled} onClick=${() => decide(one.id, { given: true })}>Allow once</button><button disabled=${!settled} onClick=${() => decide(one.id, { given: true, scope: "session" })}>Allow for this session</button></div>`}</div>`)
      : html`<p class="soft">Nothing. When a tool wants to write or to use an outside service, you are asked here and in the chat.</p>`}<//>`;
}
