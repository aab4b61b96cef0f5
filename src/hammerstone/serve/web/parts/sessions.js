// The sessions: found by their words, opened, renamed, deleted.
import { get, patch, query, remove } from "../api.js";
import { Confirm, html, Problem, useEffect, useState } from "../ui.js";
import { ThemeChoice } from "../theme.js";

const WAIT_MS = 250;

/** The list, newest first. `changed` is another number whenever there is something new in it. */
export function SessionList({ session, changed, start, found }) {
  const [words, setWords] = useState("");
  const [sessions, setSessions] = useState(null);
  useEffect(() => {
    let current = true;
    const load = () => get(`/api/sessions?${query({ limit: 30, search: words.trim() })}`).then(
      (list) => { if (current) { setSessions(list); found(list); } },
      () => {},
    );
    const timer = setTimeout(load, words ? WAIT_MS : 0);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [words, changed]);
  const none = sessions && !sessions.length;
  return html`<a class="button" href="#/chat" onClick=${start}>New session</a>
    <input type="search" aria-label="Search sessions" placeholder="Search sessions" maxlength="200" value=${words} onInput=${(event) => setWords(event.target.value)} />
    ${none && html`<p class="hint" role="status">${words ? `No session holds “${words}”. Try fewer words.` : "No sessions yet. What you ask is kept here."}</p>`}
    <ul>
      ${(sessions || []).map(
        (one) => html`<li key=${one.id}><a href=${`#/chat/${one.id}`} title=${one.title} dir="auto" aria-current=${one.id === session ? "true" : null}>${one.title || "untitled"}</a></li>`,
      )}
    </ul>
    <${ThemeChoice} />`;
}

/** The name of the session, and what can be done with it as a whole. */
export function SessionBar({ session, title, busy }) {
  const [asked, setAsked] = useState(null);
  const [name, setName] = useState("");
  const [lessons, setLessons] = useState(false);
  const [problem, setProblem] = useState(null);
  const address = `/api/sessions/${encodeURIComponent(session)}`;
  const failed = (error) => { setAsked(null); setProblem(error); };
  const erase = () => remove(`${address}?lessons=${lessons}`).then(() => { setAsked(null); location.hash = "#/chat"; }, failed);
  const rename = () => patch(address, { title: name.trim() }).then(() => setAsked(null), failed);
  return html`<div class="sessionbar row"><h1 class="grow" dir="auto">${title || "This session"}</h1>
      <button class="quiet" onClick=${() => { setName(title || ""); setAsked("rename"); }}>Rename</button>
      <button class="quiet" disabled=${busy} title=${busy ? "Stop the running request first" : null} onClick=${() => setAsked("delete")}>Delete</button></div>
    ${problem && html`<${Problem} error=${problem} />`}
    ${asked === "rename" && html`<${Confirm} title="Rename this session" yes="Rename" onYes=${rename} onNo=${() => setAsked(null)}>
      <label class="stack">Title <input required maxlength="200" value=${name} onInput=${(event) => setName(event.target.value)} /></label><//>`}
    ${asked === "delete" && html`<${Confirm} title="Delete this session for good?" yes="Delete" onYes=${erase} onNo=${() => setAsked(null)}>
      <p>Everything in it is deleted: messages, calls, files and traces. Tools that were built stay in the library.</p>
      <label><input type="checkbox" checked=${lessons} onChange=${(event) => setLessons(event.target.checked)} /> also undo what was learned from it alone</label><//>`}`;
}
