// What Hammerstone knows about you and your work: with where it came from, to edit and to forget.
import { get, post, put, query, remove } from "../api.js";
import { Empty, Loaded, useLoaded, when } from "../parts/pieces.js";
import { html, Problem, useState } from "../ui.js";

const LAYERS = {
  rules: ["Rules", "Always followed. Begin with “always” or “never” to add one."],
  identity: ["Who Hammerstone is", "How it should see itself and talk to you."],
  user: ["About you", "Facts and wishes that you told it."],
  memory: ["Other things to remember", "Everything else that you asked it to keep."],
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
    <p class="hint">Hammerstone reads this with every request. Write what it should know or always do; you can change and forget each line.</p>
    <form class="row" onSubmit=${add}>
      <input class="grow" aria-label="Something to remember" placeholder="For example: Always show money with two decimals" value=${text} onInput=${(event) => setText(event.target.value)} />
      <button class="primary" disabled=${!text.trim()}>Remember</button>
    </form>
    ${said && html`<p role="status">${said}</p>`}
    ${error && html`<${Problem} error=${error} />`}
    <${Loaded} of=${memory}>${(it) => html`
      ${Object.entries(it.layers).map(([name, layer]) => html`<${Layer} name=${name} layer=${layer} again=${memory.again} key=${name + layer.text} />`)}
      <h2>Noted yesterday and today</h2>
      ${it.log.length ? html`<ul>${it.log.map((line) => html`<li>${line}</li>`)}</ul>` : html`<p class="soft">Nothing was noted. Short notes of your requests appear here.</p>`}
      <${Recall} />
      <p class="hint">All of this is kept in plain files in <code>${it.folder}</code>. You can edit them there, too.</p>
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
      ${text === null ? html`<button aria-label=${`Edit ${title}`} onClick=${() => setText(layer.text)}>Edit</button>` : html`<button class="primary" onClick=${save}>Save</button><button onClick=${() => setText(null)}>Cancel</button>`}
    </div>
    <p class="hint">${about}</p>
    ${error && html`<${Problem} error=${error} />`}
    ${text !== null
      ? html`<textarea class="code" style="width:100%" rows="8" aria-label=${`${title} as text`} value=${text} onInput=${(event) => setText(event.target.value)}></textarea>`
      : layer.lines.length
        ? html`<table class="full stacks"><tbody>${layer.lines.map((line) => html`<tr><td>${line.text}</td><td class="soft">${line.source || "written by hand"}${line.day ? `, ${line.day}` : ""}</td><td class="act"><button aria-label=${`Forget: ${line.text}`} onClick=${() => forget(line.text)}>Forget</button></td></tr>`)}</tbody></table>`
        : html`<p class="soft">Nothing yet. Write something into the field above, or press Edit.</p>`}
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
  return html`<h2>Find an earlier request</h2>
    <form class="row" onSubmit=${search}><input class="grow" type="search" aria-label="Search earlier requests" placeholder="For example: leap year" value=${text} onInput=${(event) => setText(event.target.value)} /><button disabled=${!text.trim()}>Search</button></form>
    ${error && html`<${Problem} error=${error} />`}
    ${found && (found.length
      ? html`<table class="full stacks"><tbody>${found.map((one) => html`<tr><td><a href=${`#/chat/${one.session_id}`}>${one.request}</a><br /><span class="soft">${one.answer}</span></td><td>${when(one.at)}</td></tr>`)}</tbody></table>`
      : html`<${Empty}>No earlier request is similar. Try other words.<//>`)}`;
}
