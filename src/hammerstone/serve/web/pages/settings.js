// Which model does what, how careful it is, the numbers that decide, and the switch that stops it.
import { get, post, put, remove } from "../api.js";
import { ActionText } from "../parts/asks.js";
import { Exchange } from "../parts/exchange.js";
import { Doctor, SandboxProof } from "../parts/proof.js";
import { Facts, html, Loaded, Problem, Status, useLoaded, useSettled, useState, when } from "../ui.js";

const LEVELS = {
  1: "Task: only the tool it is given",
  2: "Workflow: several tools in a row",
  3: "Adaptive: asks before it writes",
  4: "Learning: may improve itself",
  5: "Autonomous: asks only for what cannot be undone",
};

export default function Settings() {
  const settings = useLoaded(() => get("/api/settings"), "settings");
  const health = useLoaded(() => get("/health"), "health");
  const governs = settings.value?.rights.includes("govern");
  return html`<div class="page">
    <header><h1>Settings</h1></header>
    <${StopSwitch} governs=${governs} />
    <${Approvals} />
    <h2>Health</h2>
    <${Loaded} of=${health}>${(it) => html`<${Facts} of=${flat(it)} />`}<//>
    ${governs && html`<${Doctor} /><${SandboxProof} />`}
    <h2>Models</h2>
    <${Loaded} of=${settings}>${(it) => html`
      <table><tbody>${Object.entries(it.models).map(([role, model]) => html`<tr><th scope="row">${role}</th><td><code>${model}</code></td></tr>`)}</tbody></table>
      <${Facts} of=${{ you: `${it.user}, ${it.role}`, embedder: it.embedder, sandbox: it.sandbox, "data directory": it.data_dir }} />
      <p class="hint">Models and places are set by environment variables or hammerstone.toml, see docs/settings.md. Keys never leave this machine's settings.</p>`}<//>
    <${Policies} />
    ${governs && html`<${Exchange} />`}
  </div>`;
}

const flat = (it) =>
  Object.fromEntries(Object.entries(it).map(([key, value]) => [key.replaceAll("_", " "), value !== null && typeof value === "object" ? Object.entries(value).map(([name, one]) => `${name}: ${typeof one === "object" ? JSON.stringify(one) : one}`).join(", ") || "–" : String(value)]));

function StopSwitch({ governs }) {
  const stops = useLoaded(() => get("/api/stops"), "stops");
  const [error, setError] = useState(null);
  const all = (stops.value || []).some((stop) => stop.scope === "all");
  const stop = () => post("/api/stops", { scope: "all", why: "from the web app" }).then(stops.again, setError);
  const resume = () => remove("/api/stops?scope=all").then(stops.again, setError);
  return html`<section class="card">
    <div class="row"><div class="grow"><strong>${all ? "Everything is stopped." : "Hammerstone is working."}</strong><br /><span class="hint">Stopping ends whatever runs, in every process, within about a second; nothing starts before it is resumed.</span></div>
      ${!governs ? "" : all ? html`<button class="primary" onClick=${resume}>Resume</button>` : html`<button class="danger" onClick=${stop}>Stop everything</button>`}</div>
    ${(stops.value || []).filter((one) => one.scope !== "all").map((one) => html`<p>${one.scope} ${one.target} stopped by ${one.who} ${when(one.at)}</p>`)}
    ${(error || stops.error) && html`<${Problem} error=${error || stops.error} />`}
  </section>`;
}

function Approvals() {
  const waiting = useLoaded(() => get("/api/approvals"), "approvals");
  const [error, setError] = useState(null);
  const decide = (id, body) => post(`/api/approvals/${id}`, body).then(waiting.again, setError);
  const settled = useSettled((waiting.value || []).map((one) => one.id).join(" "));
  return html`<h2>Waiting for your word</h2>
    ${error && html`<${Problem} error=${error} />`}
    <${Loaded} of=${waiting}>${(all) => all.length
      ? all.map((one) => html`<div class="card" key=${one.id}><${ActionText} text=${one.text} whole=${one.whole} /><p class="hint">${one.kind}, asked ${when(one.asked_at)}, expires ${when(one.expires_at)}</p>
          ${one.kind === "question"
            ? html`<div class="choices">${one.choices.map((text) => html`<button onClick=${() => decide(one.id, { answer: text })}>${text}</button>`)}</div>`
            : html`<div class="row"><button onClick=${() => decide(one.id, { given: false })}>Refuse</button><button disabled=${!settled} onClick=${() => decide(one.id, { given: true })}>Allow once</button><button disabled=${!settled} onClick=${() => decide(one.id, { given: true, scope: "session" })}>Allow for this session</button></div>`}</div>`)
      : html`<p class="soft">Nothing.</p>`}<//>`;
}

function Policies() {
  const policies = useLoaded(() => get("/api/policies"), "policies");
  return html`<h2>Policies</h2><p class="hint">The numbers that decide behaviour. Every change is a new version with its reason, and can be undone.</p>
    <${Loaded} of=${policies}>${(all) => Object.entries(all).map(([name, policy]) => html`<${Policy} name=${name} policy=${policy} again=${policies.again} key=${name + JSON.stringify(policy.values)} />`)}<//>`;
}

function Policy({ name, policy, again }) {
  const [values, setValues] = useState({});
  const [why, setWhy] = useState("");
  const [error, setError] = useState(null);
  const [history, setHistory] = useState(null);
  const changed = Object.keys(policy.values).filter((key) => JSON.stringify(policy.values[key]) !== JSON.stringify(policy.defaults[key]));
  const read = (key, text) => (typeof policy.defaults[key] === "boolean" ? text === "true" : typeof policy.defaults[key] === "number" ? Number(text) : text);
  const save = (event) => {
    event.preventDefault();
    setError(null);
    const given = Object.fromEntries(Object.entries(values).map(([key, text]) => [key, read(key, text)]));
    put(`/api/policies/${name}`, { values: given, why }).then(again, setError);
  };
  const restore = (number) => post(`/api/policies/${name}/restore`, { number }).then(again, setError);
  return html`<details class="card"><summary><strong>${name}</strong> <span class="soft">${policy.about.split("\n")[0].replace(/ \(R[\d., R]+\)/g, "")}</span> ${changed.length > 0 && html`<${Status} of=${`${changed.length} changed`} />`}</summary>
    <form onSubmit=${save}>
      <table><tbody>${Object.entries(policy.values).map(([key, value]) => html`<tr>
        <th scope="row"><label for=${`${name}-${key}`}>${key.replaceAll("_", " ")}</label></th>
        <td><input id=${`${name}-${key}`} value=${values[key] ?? String(value)} onInput=${(event) => setValues({ ...values, [key]: event.target.value })} /></td>
        <td class="soft">${name === "maturity" && key === "level" ? LEVELS[value] : `default ${policy.defaults[key]}`}</td></tr>`)}</tbody></table>
      ${error && html`<${Problem} error=${error} />`}
      <div class="row"><label class="grow">Why <input class="grow" value=${why} onInput=${(event) => setWhy(event.target.value)} /></label>
        <button class="primary" disabled=${!why.trim() || !Object.keys(values).length}>Change</button>
        <button type="button" onClick=${() => get(`/api/policies/${name}/history`).then(setHistory, setError)}>History</button></div>
    </form>
    ${history && (history.length ? html`<table class="full"><tbody>${history.map((row) => html`<tr><td>${row.number}</td><td>${when(row.at)}</td><td>${row.who}</td><td>${row.why}</td><td><code>${JSON.stringify(row.value)}</code></td><td><button onClick=${() => restore(row.number)}>Restore</button></td></tr>`)}</tbody></table>` : html`<p class="soft">Never changed.</p>`)}
  </details>`;
}
