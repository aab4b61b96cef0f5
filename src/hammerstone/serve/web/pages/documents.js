// Documents that answers are quoted from: added, searched, read, forgotten.
import { get, post, query, remove, uploadDocument } from "../api.js";
import { bytes } from "../format.js";
import { Empty, Loaded, Status, useLoaded, when, Wide } from "../parts/pieces.js";
import { Confirm, html, Problem, useState } from "../ui.js";

export default function Documents({ rest = [] }) {
  const [id] = rest;
  return id ? html`<${One} id=${id} key=${id} />` : html`<${All} />`;
}

function All() {
  const documents = useLoaded(() => get("/api/documents"), "documents");
  return html`<div class="page">
    <header><h1>Documents</h1></header>
    <p class="hint">Ask in the chat, and answers are quoted from these documents with file and line. Where nothing is found, you are told so and see what comes nearest.</p>
    <${Find} />
    <${Add} again=${documents.again} />
    <h2>What was added</h2>
    <${Loaded} of=${documents}>${(all) => all.length ? html`<${List} all=${all} again=${documents.again} />` : html`<${Empty}>There are no documents yet. Choose a file above, or name a folder on the server.<//>`}<//>
  </div>`;
}

function Find() {
  const [text, setText] = useState("");
  const [found, setFound] = useState(null);
  const [error, setError] = useState(null);
  const search = (event) => {
    event.preventDefault();
    setError(null);
    get(`/api/documents/search?${query({ q: text, limit: 5 })}`).then(setFound, setError);
  };
  return html`<form class="row" onSubmit=${search}>
      <input class="grow" type="search" aria-label="Search the documents" placeholder="What are you looking for?" value=${text} onInput=${(event) => setText(event.target.value)} />
      <button class="primary" disabled=${!text.trim()}>Find passages</button>
    </form>
    ${error && html`<${Problem} error=${error} />`}
    ${found && (found.length
      ? html`<ol class="plain" aria-label="Passages">${found.map((one) => html`<li class="card">
          <p><a href=${`#/documents/${one.document}`}>${one.file}</a>, ${one.page ? `page ${one.page}` : `line ${one.line}`} <span class="soft">${one.section}</span></p>
          <blockquote style="margin:.3rem 0;padding-left:.8rem;border-left:3px solid var(--edge);white-space:pre-wrap;overflow-wrap:anywhere">${one.quote}</blockquote>
          ${one.answered_before && html`<p class="hint">This passage answered a question like yours before.</p>`}
        </li>`)}</ol>`
      : html`<${Empty}>No passage is near to that. Try other words.<//>`)}`;
}

function Add({ again }) {
  const [source, setSource] = useState("");
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState(null);
  const [error, setError] = useState(null);
  const work = (promise) => {
    setBusy(true);
    setError(null);
    setDone(null);
    promise.then((report) => {
      setDone([report].flat());
      setSource("");
      again();
    }, setError).finally(() => setBusy(false));
  };
  const add = (event) => {
    event.preventDefault();
    work(post("/api/documents", { source: source.trim() }));
  };
  const choose = (event) => {
    const files = [...event.target.files];
    event.target.value = "";
    if (files.length) work(files.reduce((before, file) => before.then(async (reports) => [...reports, await uploadDocument(file)]), Promise.resolve([])));
  };
  return html`<section class="card" aria-busy=${busy}>
    <h2 style="margin:0">Add documents</h2>
    <div class="row"><label class="grow">Files from this computer, for you alone <input type="file" multiple accept=".md,.markdown,.mdx,.txt,.text,.rst,.adoc,.log,.html,.htm,.xhtml,.pdf,.docx,.xlsx,.csv,.tsv" disabled=${busy} onChange=${choose} /></label></div>
    <form class="row" onSubmit=${add}>
      <label class="grow">A folder or file on the server, or a page, for everyone <input class="grow" value=${source} placeholder="/srv/handbook" onInput=${(event) => setSource(event.target.value)} /></label>
      <button disabled=${busy || !source.trim()}>Add</button>
      <button type="button" disabled=${busy} onClick=${() => work(post("/api/documents/refresh"))}>Read again what changed</button>
    </form>
    ${busy && html`<p role="status">Reading…</p>`}
    ${error && html`<${Problem} error=${error} />`}
    ${done && html`<div role="status">${done.map((one) => html`<${Report} of=${one} />`)}</div>`}
  </section>`;
}

function Report({ of }) {
  return html`<p>${of.source}: ${of.read} read, ${of.unchanged} unchanged, ${of.forgotten} forgotten.</p>
    ${of.problems.length > 0 && html`<ul>${of.problems.slice(0, 20).map((one) => html`<li>${one.file}: ${one.state === "read" ? "" : `${one.state}: `}${one.why}</li>`)}</ul>`}`;
}

function List({ all, again }) {
  const [going, setGoing] = useState(null);
  const [error, setError] = useState(null);
  const forget = () => remove(`/api/documents/${going.id}`).then(again, setError).finally(() => setGoing(null));
  return html`
    ${error && html`<${Problem} error=${error} />`}
    <${Wide} about="Documents"><table class="full stacks">
      <thead><tr><th scope="col">file</th><th scope="col">title</th><th scope="col">state</th><th scope="col">size</th><th scope="col">whose</th><th scope="col">read</th><td></td></tr></thead>
      <tbody>${all.map((one) => html`<tr>
        <th scope="row"><a href=${`#/documents/${one.id}`}>${one.file}</a></th><td>${one.title}</td>
        <td><${Status} of=${one.state} />${one.note && html` <span class="soft">${one.note}</span>`}</td>
        <td style="white-space:nowrap">${bytes(one.bytes)}</td><td>${one.shared ? "everyone’s" : "yours"}</td><td>${when(one.at)}</td>
        <td class="act"><button aria-label=${`Forget ${one.file}`} onClick=${() => setGoing(one)}>Forget</button></td>
      </tr>`)}</tbody>
    </table><//>
    ${going && html`<${Confirm} title=${`Forget ${going.file}?`} yes="Forget" onYes=${forget} onNo=${() => setGoing(null)}><p>Answers are no longer quoted from it. ${going.shared ? "The file itself stays where it is." : "The file that you uploaded is deleted."}</p><//>`}`;
}

function One({ id }) {
  const document = useLoaded(() => get(`/api/documents/${id}`), `document-${id}`);
  return html`<div class="page"><${Loaded} of=${document}>${(it) => html`
    <header><h1>${it.title}</h1></header>
    <p class="hint"><a href="#/documents">All documents</a> · ${it.file} · ${it.state}${it.note ? `: ${it.note}` : ""}</p>
    ${!it.text.length && html`<${Empty}>Nothing of it could be read.<//>`}
    ${it.text.map((part) => html`<section class="card"><p class="soft">${part.page ? `Page ${part.page}` : `Line ${part.line}`} · ${part.section}</p><div style="white-space:pre-wrap;overflow-wrap:anywhere">${part.text}</div></section>`)}
  `}<//></div>`;
}
