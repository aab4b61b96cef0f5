// Experiments: other numbers or prompts on a part of the sessions, and how learning goes by day.
import { get, post } from "../api.js";
import { Plot } from "../parts/result.js";
import { Empty, Loaded, Status, useLoaded, when, Wide } from "../parts/pieces.js";
import { number, percent, plural, shortened } from "../format.js";
import { Confirm, Facts, html, Problem, useState } from "../ui.js";

const SHARES = ["success", "cache_hit_rate", "composite_use", "retrieval_precision", "repair_success"];
const COUNTS = ["tools_per_request", "model_calls_per_request", "patterns", "promotions", "policy_movement"];
const METRICS = ["success", "confirmed", "reuse", "cached", "model_calls", "tokens", "seconds", "usd"];
const words = (name) => name.replaceAll("_", " ");
const ended = (one) => one.outcome || one.state;

export default function Experiments({ rest = [] }) {
  const me = useLoaded(() => get("/api/settings"), "me");
  const governs = Boolean(me.value?.rights.includes("govern"));
  return rest[0] ? html`<${One} id=${rest[0]} governs=${governs} />` : html`<${All} governs=${governs} />`;
}

function All({ governs }) {
  const found = useLoaded(() => get("/api/experiments"), "experiments");
  return html`<div class="page"><header><h1>Experiments</h1></header>
    <p class="hint">Try other numbers or another prompt on a part of the sessions. Nothing changes for everybody until a difference is certain.</p>
    <${Loaded} of=${found}>${(all) => all.length
      ? html`<${Wide} about="Experiments"><table class="full stacks"><thead><tr><th scope="col">experiment</th><th scope="col">changes</th><th scope="col">measured by</th><th scope="col">started</th><th scope="col">state</th></tr></thead><tbody>
        ${all.map((one) => html`<tr><td><a href=${`#/experiments/${one.id}`}>${one.title}</a></td><td>${one.knobs.join(", ")}</td><td>${words(one.metric)}</td><td>${when(one.started_at)}</td><td><${Status} of=${ended(one)} /></td></tr>`)}</tbody></table><//>`
      : html`<${Empty}>There are no experiments yet.<//>`}<//>
    ${governs && html`<${Start} again=${found.again} />`}
    <${Metrics} governs=${governs} />
  </div>`;
}

/** A form for one other value of one number; more than that is for the command line. */
function Start({ again }) {
  const [given, setGiven] = useState({ title: "", knob: "", value: "", metric: "success", minimum: 0 });
  const [error, setError] = useState(null);
  const set = (key) => (event) => setGiven({ ...given, [key]: event.target.value });
  const value = () => {
    try {
      return JSON.parse(given.value);
    } catch {
      return given.value;
    }
  };
  const start = (event) => {
    event.preventDefault();
    setError(null);
    const body = { title: given.title, variants: { other: { [given.knob]: value() } }, metric: given.metric, minimum_effect: Number(given.minimum) };
    post("/api/experiments", body).then(() => { setGiven({ ...given, title: "", value: "" }); again(); }, setError);
  };
  return html`<details class="card"><summary><strong>Start an experiment</strong></summary><form onSubmit=${start}>
    <div class="field"><label for="experiment-title">What it is about</label><input id="experiment-title" required maxlength="200" value=${given.title} onInput=${set("title")} /></div>
    <div class="field"><label for="experiment-knob">Which number, as in fit.high</label><input id="experiment-knob" required value=${given.knob} onInput=${set("knob")} /></div>
    <div class="field"><label for="experiment-value">The other value</label><input id="experiment-value" required value=${given.value} onInput=${set("value")} /></div>
    <div class="field"><label for="experiment-metric">Measured by</label><select id="experiment-metric" value=${given.metric} onChange=${set("metric")}>${METRICS.map((one) => html`<option value=${one}>${words(one)}</option>`)}</select></div>
    <div class="field"><label for="experiment-minimum">The least gain that would be worth it</label><input id="experiment-minimum" type="number" step="any" min="0" value=${given.minimum} onInput=${set("minimum")} /></div>
    ${error && html`<${Problem} error=${error} />`}
    <button class="primary">Start it</button></form></details>`;
}

function One({ id, governs }) {
  const found = useLoaded(() => get(`/api/experiments/${encodeURIComponent(id)}`), id);
  const [stopping, setStopping] = useState(false);
  const [error, setError] = useState(null);
  const stop = (why) => post(`/api/experiments/${id}/stop`, { why: why || "" }).then(found.again, setError).finally(() => setStopping(false));
  return html`<div class="page"><p><a href="#/experiments">Experiments</a></p><${Loaded} of=${found}>${(one) => html`
    <header><h1>${one.title}</h1><${Status} of=${ended(one)} /><span class="grow"></span>${governs && one.state === "running" && html`<button onClick=${() => setStopping(true)}>Stop it</button>`}</header>
    ${error && html`<${Problem} error=${error} />`}
    <p>${one.reason || one.report.reason}</p>
    <${Facts} of=${{ "measured by": words(one.metric), "least gain worth it": number(one.minimum_effect, 4), "may not get worse": one.guards.map(words).join(", ") || null, "days at most": one.max_days, started: when(one.started_at), by: one.started_by, ended: one.ended_at ? when(one.ended_at) : null }} />
    <h2>Variants</h2>
    <${Wide} about="Variants"><table class="full stacks"><thead><tr><th scope="col">variant</th><th scope="col">what differs</th></tr></thead><tbody>${one.variants.map((variant) => html`<tr><td>${variant.name}</td><td>${Object.entries(variant.changes).map(([knob, value]) => `${knob}: ${shortened(String(value), 80)}`).join("; ") || "nothing"}</td></tr>`)}</tbody></table><//>
    <h2>What is known</h2>
    <${Known} rows=${[...one.report.variants, ...one.report.guards]} />
    <${Curves} one=${one} />
    ${stopping && html`<${Confirm} title="Stop this experiment?" yes="Stop it" reason="Why (kept with it)" onYes=${stop} onNo=${() => setStopping(false)}><p>What is in force stays in force.</p><//>`}`}<//></div>`;
}

function Known({ rows }) {
  return html`<${Wide} about="What is known"><table class="full stacks"><thead><tr><th scope="col">variant</th><th scope="col">measured by</th><th scope="col" class="number">now</th><th scope="col" class="number">with it</th><th scope="col">gain</th><th scope="col" class="number">sessions</th></tr></thead><tbody>
    ${rows.map((row) => html`<tr><td>${row.variant}</td><td>${words(row.metric)}</td><td class="number">${number(row.means[0], 3)}</td><td class="number">${number(row.means[1], 3)}</td><td>${row.low === null ? "not known yet" : `${number(row.gain, 3)} (${number(row.low, 3)} to ${number(row.high, 3)})`}</td><td class="number">${row.units[0]} and ${row.units[1]}</td></tr>`)}</tbody></table><//>
    <p class="hint">The true gain lies between the two numbers in brackets, on all days at once, however often you look.</p>`;
}

/** The gain of each variant with its bounds, day by day. */
function Curves({ one }) {
  return one.variants.slice(1).map(({ name }) => {
    const days = one.looks.map((look) => ({ day: look.day, ...look.variants.find((row) => row.variant === name) })).filter((look) => look.low !== null && look.low !== undefined);
    if (days.length < 2) return html`<p class="soft">A curve for ${name} comes with the second day on which something is known.</p>`;
    const line = (key) => days.map((look) => look[key]);
    return html`<${Plot} title=${`Gain of ${name} in ${words(one.metric)} by day`} x=${line("day")} series=${[{ label: "gain", values: line("gain") }, { label: "at least", values: line("low") }, { label: "at most", values: line("high") }]} />`;
  });
}

function Metrics({ governs }) {
  const [days, setDays] = useState(28);
  const [all, setAll] = useState(false);
  const found = useLoaded(() => get(`/api/analytics/learning?days=${days}&everybody=${all}`), `${days}${all}`);
  return html`<div class="row"><h2 class="grow">How learning goes</h2>
      ${governs && html`<label><input type="checkbox" checked=${all} onChange=${(event) => setAll(event.target.checked)} /> everybody's requests</label>`}
      <label>over <select value=${days} onChange=${(event) => setDays(Number(event.target.value))}>${[7, 28, 90, 365].map((one) => html`<option value=${one}>${one} days</option>`)}</select></label></div>
    <${Loaded} of=${found}>${(it) => html`
      <${Wide} about="How learning goes"><table class="full stacks"><thead><tr><th scope="col">what</th><th scope="col" class="number">in ${plural(days, "day")}</th></tr></thead><tbody>
        ${Object.entries(it.about).map(([name, about]) => html`<tr><td>${about}</td><td class="number">${it.total[name] === null ? "–" : SHARES.includes(name) ? percent(it.total[name]) : number(it.total[name])}</td></tr>`)}</tbody></table><//>
      <${Days} days=${it.days} names=${SHARES} title="Shares by day (1 is all)" />
      <${Days} days=${it.days} names=${COUNTS} title="Numbers by day" />`}<//>`;
}

function Days({ days, names, title }) {
  const known = names.filter((name) => days.some((day) => day[name]));
  const x = days.map((day) => Date.parse(day.day) / 1000);
  return known.length > 0 && days.length > 2 && html`<${Plot} title=${title} x=${x} time=${true} series=${known.map((name) => ({ label: words(name), values: days.map((day) => day[name]) }))} />`;
}
