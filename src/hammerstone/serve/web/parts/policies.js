// The numbers that decide behaviour: each with what it means, its bounds and its default.
import { get, post, put } from "../api.js";
import { bytes, number, plural } from "../format.js";
import { Loaded, Status, useLoaded, when, Wide } from "./pieces.js";
import { html, Problem, useState } from "../ui.js";

const NO_BOUND = 1e8;
const UNITS = [["_s", "seconds"], ["seconds", "seconds"], ["_hours", "hours"], ["_days", "days"], ["_bytes", "bytes"], ["usd", "dollars"]];
const unit = (name) => UNITS.find(([ending]) => name.endsWith(ending))?.[1] || "";
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

export function Policies({ governs }) {
  const policies = useLoaded(() => get("/api/policies"), "policies");
  const [find, setFind] = useState("");
  return html`<h2 id="policies">Policies</h2><p class="hint">The numbers that decide how Hammerstone behaves. You can change each one, say why, and go back later.</p>
    <input type="search" aria-label="Find a policy" placeholder="Find a policy, for example: days" value=${find} onInput=${(event) => setFind(event.target.value)} />
    <${Loaded} of=${policies}>${(all) => {
      const sought = find.trim().toLowerCase();
      const fits = ([name, it]) => !sought || `${name} ${it.title} ${Object.entries(it.fields).map(([key, one]) => `${key} ${one.about} ${one.aliases.join(" ")}`).join(" ")}`.toLowerCase().includes(sought);
      const shown = Object.entries(all).filter(fits);
      const groups = [...new Set(shown.map(([, it]) => it.group))];
      if (!shown.length) return html`<p class="soft">No policy fits. Look for another word.</p>`;
      return groups.map((group) => html`<h3>${group}</h3>${shown.filter(([, it]) => it.group === group).map(([name, policy]) => html`<${Policy} name=${name} policy=${policy} sought=${sought} governs=${governs} again=${policies.again} key=${name + JSON.stringify(policy.values)} />`)}`);
    }}<//>`;
}

function Policy({ name, policy, sought, governs, again }) {
  const [values, setValues] = useState({});
  const [why, setWhy] = useState("");
  const [error, setError] = useState(null);
  const [history, setHistory] = useState(null);
  const changed = Object.keys(policy.values).filter((key) => !same(policy.values[key], policy.defaults[key]));
  const set = (key, value) => {
    const { [key]: _, ...rest } = values;
    setValues(same(value, policy.values[key]) ? rest : { ...values, [key]: value });
  };
  const save = (event) => {
    event.preventDefault();
    setError(null);
    put(`/api/policies/${name}`, { values, why }).then(again, setError);
  };
  const back = () => post(`/api/policies/${name}/rollback`).then(again, setError);
  const restore = (version) => post(`/api/policies/${name}/restore`, { number: version }).then(again, setError);
  return html`<details class="card policy" open=${Boolean(sought)}><summary><strong>${policy.title}</strong> ${changed.length > 0 && html`<${Status} of=${`${changed.length} changed`} />`} <span class="soft">${name}</span></summary>
    <form onSubmit=${save}>
      ${Object.keys(policy.values).map((key) => html`<${Field} id=${`${name}-${key}`} name=${key} of=${policy.fields[key]} value=${key in values ? values[key] : policy.values[key]} standard=${policy.defaults[key]} set=${(value) => set(key, value)} locked=${!governs} />`)}
      ${error && html`<${Problem} error=${error} />`}
      ${governs && html`<div class="row"><label class="grow">Why do you change it? <input class="grow" maxlength="1000" value=${why} onInput=${(event) => setWhy(event.target.value)} /></label>
        <button class="primary" disabled=${!why.trim() || !Object.keys(values).length}>Change</button></div>
        ${!Object.keys(values).length ? html`<p class="hint">Change a value above, say why, then press Change.</p>` : !why.trim() && html`<p class="hint">Say why: it is kept with the change.</p>`}`}
      <button type="button" class="quiet" onClick=${() => get(`/api/policies/${name}/history`).then(setHistory, setError)}>Earlier versions</button>
      ${governs && changed.length > 0 && html`<button type="button" class="quiet" onClick=${back}>Back to the version before</button>`}
    </form>
    ${history && (history.length ? html`<${History} of=${history} policy=${policy} restore=${governs && restore} />` : html`<p class="soft">It was never changed.</p>`)}
  </details>`;
}

const shown = (key, value) => (typeof value === "boolean" ? (value ? "on" : "off") : key.endsWith("_bytes") ? bytes(value) : typeof value === "number" ? number(value) : String(value));

/** A switch for yes or no, a field with its bounds for a number. */
function Field({ id, name, of, value, standard, set, locked }) {
  const switched = typeof standard === "boolean";
  const [low, high] = of.range;
  const bounds = !switched && high < NO_BOUND ? `${number(low)} to ${name.endsWith("_bytes") ? bytes(high) : number(high)}; ` : "";
  const differs = !same(value, standard);
  return html`<div class="field"><label for=${id}>${of.about}</label>
    <span class="row">${switched
      ? html`<input id=${id} type="checkbox" role="switch" checked=${value} disabled=${locked} onChange=${(event) => set(event.target.checked)} />`
      : html`<input id=${id} type="number" step="any" min=${low} max=${high < NO_BOUND ? high : null} required disabled=${locked} value=${value} onInput=${(event) => event.target.value !== "" && set(Number(event.target.value))} /> <span class="soft">${unit(name)}</span>`}</span>
    <span class="hint">${bounds}usually ${shown(name, standard)}${differs ? html` <button type="button" class="link" disabled=${locked} onClick=${() => set(standard)}>use that</button>` : ""}${of.aliases.length > 0 && `; also called ${of.aliases.join(", ")}`}</span></div>`;
}

const evidence = (given) => (given && Object.keys(given).length ? html`<p class="hint">on the evidence of ${JSON.stringify(given)}</p>` : "");

function History({ of, policy, restore }) {
  const about = (key) => policy.fields[key]?.about.replace(/\.$/, "") || key;
  const words = (value) => Object.entries(value).map(([key, one]) => `${about(key)}: ${shown(key, one)}`).join("; ");
  const whole = (row) => ({ ...policy.defaults, ...row?.value });
  const changes = (row, before) => Object.keys(whole(row)).filter((key) => !same(whole(row)[key], whole(before)[key])).map((key) => `${about(key)}: ${shown(key, whole(before)[key])} to ${shown(key, whole(row)[key])}`).join("; ");
  return html`<${Wide} about="Earlier versions"><table class="full stacks"><thead><tr><th scope="col">when</th><th scope="col">who</th><th scope="col">why</th><th scope="col">what it changed</th><th scope="col">what differed from the usual</th><td></td></tr></thead><tbody>
    ${of.map((row, at) => html`<tr><td>${when(row.at)}</td><td>${row.who}</td><td>${row.why}</td><td>${changes(row, of[at - 1]) || "nothing"}</td><td>${words(row.value) || "nothing"}${evidence(row.evidence)}</td><td class="act">${restore && html`<button onClick=${() => restore(row.number)}>Use this again</button>`}</td></tr>`)}</tbody></table><//>
    <p class="hint">${plural(of.length, "version")}, the oldest first.</p>`;
}
