// What Hammerstone knows about you and your work: with where it came from, to edit and to forget.
import { get, post, put, query, remove } from "../api.js";
import { Empty, html, Loaded, Problem, useLoaded, useState, when } from "../ui.js";

const LAYERS = {
  rules: ["Rules", "What must always hold. Never shortened, never forgotten by itself."],
  identity: ["Identity", "Who Hammerstone is for you."],
  user: ["About you", "Facts and preferences you told it."],
  memory: ["Long-term memory", "What else it was asked to keep."],
};

export default function Memory() {
  const memory = useLoaded(() => get("/api/memory"), "memory");
  const [text, setText] = useState("");
  const [said, setSaid] = useState("");
  const [error, setError] = useState(null);
  const add = (event) => {
    event.preventDefault();
    setError(null);
    post("/api/memory", { text }).then((done) => {
      setSaid(done.said);
      setText("");
      memory.again();
    }, setError);
  };
  return html`<div class="page">
    <header><h1>Memory</h1></header>
    <form class="row" onSubmit=${add}>
      <input class="grow" aria-label="Something to remember" placeholder="Always show money with two decimals" value=${text} onInput=${(event) => setText(event.target.value)} />
      <button class="primary" disabled=${!text.trim()}>Remember</button>
    </form>
    ${said && html`<p role="status">${said}</p>`}
    ${error && html`<${Problem} error=${error} />`}
    <${Loaded} of=${memory}>${(it) => html`
      ${Object.entries(it.layers).map(([name, layer]) => html`<${Layer} name=${name} layer=${layer} again=${memory.again} key=${name + layer.text} />`)}
      <h2>Yesterday and today</h2>
      ${it.log.length ? html`<ul>${it.log.map((line) => html`<li>${line}</li>`)}</ul>` : html`<p class="soft">Nothing was noted.</p>`}
      <${Recall} />
      <p class="hint">These are plain files: <code>${it.folder}</code></p>
    `}<//>
  </div>`;
}

function Layer({ name, layer, again }) {
  const [title, about] = LAYERS[name] || [name, ""];
  const [text, setText] = useState(null);
  const [error, setError] = useState(null);
  const save = () => put(`/api/memory/${name}`, { text }).then(again, setError);
  const forget = (line) => remove(`/api/memory?${query({ about: line })}`).then(again, setError);
  return html`<section class="card">
    <div class="row"><h2 class="grow" style="margin:0">${title}</h2>
      ${text === null ? html`<button onClick=${() => setText(layer.text)}>Edit</button>` : html`<button class="primary" onClick=${save}>Save</button><button onClick=${() => setText(null)}>Cancel</button>`}
    </div>
    <p class="hint">${about}</p>
    ${error && html`<${Problem} error=${error} />`}
    ${text !== null
      ? html`<textarea class="code" style="width:100%" rows="8" aria-label=${`${title} as text`} value=${text} onInput=${(event) => setText(event.target.value)}></textarea>`
      : layer.lines.length
        ? html`<table class="full"><tbody>${layer.lines.map((line) => html`<tr><td>${line.text}</td><td class="soft">${line.source || "written by hand"}${line.day ? `, ${line.day}` : ""}</td><td class="act"><button onClick=${() => forget(line.text)}>Forget</button></td></tr>`)}</tbody></table>`
        : html`<p class="soft">Empty.</p>`}
  </section>`;
}

function Recall() {
  const [text, setText] = useState("");
  const [found, setFound] = useState(null);
  const [error, setError] = useState(null);
  const search = (event) => {
    event.preventDefault();
    get(`/api/memory/search?${query({ q: text, limit: 10 })}`).then(setFound, setError);
  };
  return html`<h2>Look for something said earlier</h2>
    <form class="row" onSubmit=${search}><input class="grow" aria-label="Search earlier exchanges" value=${text} onInput=${(event) => setText(event.target.value)} /><button disabled=${!text.trim()}>Search</button></form>
    ${error && html`<${Problem} error=${error} />`}
    ${found && (found.length
      ? html`<table class="full"><tbody>${found.map((one) => html`<tr><td><a href=${`#/chat/${one.session_id}`}>${one.request}</a><br /><span class="soft">${one.answer}</span></td><td>${when(one.at)}</td><td class="number">${one.score.toFixed(2)}</td></tr>`)}</tbody></table>`
      : html`<${Empty}>Nothing like that was said.<//>`)}`;
}
