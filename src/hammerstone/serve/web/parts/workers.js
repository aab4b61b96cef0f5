// Who does stored work, what each does now, and how much waits.
import { get } from "../api.js";
import { Loaded, useLoaded, when } from "./pieces.js";
import { html } from "../ui.js";

const KINDS = { run: "requests", proof: "proofs", learning: "learning", trigger: "requests of triggers" };

export function Workers() {
  const workers = useLoaded(() => get("/api/workers"), "workers");
  return html`<h2>Workers</h2>
    <${Loaded} of=${workers}>${(it) => html`
      <table><thead><tr><th scope="col">stored work</th><th scope="col">waits</th><th scope="col">under way</th></tr></thead>
        <tbody>${Object.entries(it.queues).map(([kind, counts]) => html`<tr><th scope="row">${KINDS[kind] || kind}</th><td>${counts.waiting}</td><td>${counts.held}</td></tr>`)}</tbody></table>
      ${it.workers.length ? html`<${Listed} of=${it.workers} />` : html`<p class="soft">${it.runs_on === "workers"
        ? "No worker is there: requests wait until one is started with `hammerstone worker`."
        : "This server does all work itself. For more, start `hammerstone worker` on any machine that reaches the database."}</p>`}
      <p class="hint">This server answers ${it.here.answered} ${it.here.answered === 1 ? "request" : "requests"} now; ${it.here.waiting} wait for their turn here. <button class="quiet" onClick=${workers.again}>Look again</button></p>`}<//>`;
}

function Listed({ of }) {
  return html`<table style="margin-top: 1rem"><thead><tr><th scope="col">worker</th><th scope="col">state</th><th scope="col">does now</th><th scope="col">done</th><th scope="col">since</th><th scope="col">takes</th></tr></thead>
    <tbody>${of.map((one) => html`<tr key=${one.id}><th scope="row">${one.name}</th>
      <td>${one.silent ? `silent for ${Math.round(one.silent_s)} s` : one.state}</td>
      <td>${one.silent && one.doing.length ? "last: " : ""}${one.doing.length ? one.doing.map((line) => html`<code>${line}</code> `) : "nothing"}</td><td>${one.done}</td><td>${when(one.since)}</td>
      <td>${one.kinds.length === Object.keys(KINDS).length ? "everything" : one.kinds.map((kind) => KINDS[kind] || kind).join(", ")}</td></tr>`)}</tbody></table>`;
}
