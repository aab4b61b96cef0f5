// A form for a new trigger: what its kind needs, for whom, and where answers go.
import { post } from "../api.js";
import { html, Problem, useState } from "../ui.js";

const KINDS = {
  schedule: "a time of day starts it", webhook: "a signed call from another program starts it", folder: "a new or changed file starts it",
  slack: "a mention, a direct message or a slash command starts it", telegram: "a message to a bot starts it",
};
const FIELDS = {
  schedule: [["cron", "When, as cron text", "0 8 * * 1"], ["zone", "Time zone", "Europe/Berlin"], ["files", "Files or folders to attach, with commas", "/data/journal.txt"]],
  webhook: [],
  folder: [["folder", "Folder", "/data/inbox"], ["pattern", "Which files", "*.csv"]],
  slack: [["bot_token", "Bot token", "xoxb-…", "password"], ["signing_secret", "Signing secret", "", "password"], ["channels", "Channels by id, with commas (none is all)", "C0123"], ["people", "Your own id there: its buttons count as yours", "U0123"]],
  telegram: [["bot_token", "Bot token", "123456:…", "password"], ["channels", "Chats by id, with commas", "-100123"], ["people", "Your own id there: its buttons count as yours", "123456"]],
};
const LISTS = ["files", "channels", "people", "tools"];
const EXAMPLES = { schedule: "How many lines does the file have?", webhook: "Add up the numbers {amounts}", folder: "How many lines does the file have?", slack: "(optional) put before every message", telegram: "(optional) put before every message" };

export function NewTrigger({ done }) {
  const [kind, setKind] = useState("schedule");
  const [values, setValues] = useState({});
  const [error, setError] = useState(null);
  const [added, setAdded] = useState(null);
  const set = (name) => (event) => setValues({ ...values, [name]: event.target.value });
  const add = (event) => {
    event.preventDefault();
    setError(null);
    setAdded(null);
    const body = { kind, name: (values.name || "").trim() };
    for (const name of ["request", "answers", "tools", ...FIELDS[kind].map(([one]) => one)]) {
      const given = (values[name] || "").trim();
      if (given) body[name] = LISTS.includes(name) ? given.split(",").map((one) => one.trim()).filter(Boolean) : given;
    }
    if (values.level) body.level = Number(values.level);
    if (values.runs_a_day) body.runs_a_day = Number(values.runs_a_day);
    post("/api/triggers", body).then((made) => {
      setAdded(made);
      setValues({});
      done();
    }, setError);
  };
  const field = ([name, label, example, type]) => html`<label class="row grow">${label} <input class="grow" style="min-width:9rem" type=${type || "text"} autocomplete="off" placeholder=${example} value=${values[name] || ""} onInput=${set(name)} /></label>`;
  return html`<form class="card" onSubmit=${add}>
    <div class="row">
      <label>Kind <select value=${kind} onChange=${(event) => setKind(event.target.value)}>${Object.keys(KINDS).map((one) => html`<option value=${one}>${one}</option>`)}</select></label>
      ${field(["name", "Name", "monday-totals"])}
    </div>
    <p class="hint">${kind}: ${KINDS[kind]}.${kind === "webhook" ? " A name in braces takes a value of the payload; it is data, never an instruction." : ""}</p>
    <label class="row">What is asked <textarea rows="2" class="grow" style="min-width:14rem" placeholder=${EXAMPLES[kind]} value=${values.request || ""} onInput=${set("request")}></textarea></label>
    ${FIELDS[kind].map((one) => html`<div class="row">${field(one)}</div>`)}
    <details><summary>Limits, and where answers go</summary><div class="row">
      ${field(["answers", "Answers go to", kind === "slack" || kind === "telegram" ? "channel" : "log, url:https://…, folder:/…"])}
      ${field(["tools", "Allowed tools, with commas (none is all)", "sum_*, new"])}
      <label>Maturity level <input type="number" min="1" max="5" style="width:5rem" value=${values.level || ""} onInput=${set("level")} /></label>
      <label>Requests a day <input type="number" min="1" placeholder="100" style="width:6rem" value=${values.runs_a_day || ""} onInput=${set("runs_a_day")} /></label>
    </div></details>
    <p><button class="primary" disabled=${!(values.name || "").trim()}>Add</button></p>
    ${error && html`<${Problem} error=${error} />`}
    ${added && html`<div role="status"><p><strong>${added.name}</strong> is added.${added.secret ? " Its secret, which is not shown again:" : ""}</p>
      ${added.secret && html`<div class="row"><code class="grow" style="overflow-wrap:anywhere">${added.secret}</code><button type="button" onClick=${() => navigator.clipboard?.writeText(added.secret)}>Copy</button></div>`}</div>`}
  </form>`;
}
