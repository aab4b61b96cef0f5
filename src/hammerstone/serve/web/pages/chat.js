// Conversations: requests, live steps, questions, results.
import { get, patch, remove, upload } from "../api.js";
import { live } from "../live.js";
import { AnswerCard, AnswerSoFar } from "../parts/answer.js";
import { Asks } from "../parts/asks.js";
import { ToolQuestion } from "../parts/questions.js";
import { Timeline } from "../parts/timeline.js";
import { Confirm, html, Problem, useEffect, useRef, useState } from "../ui.js";

const EXAMPLES = [
  "What is 17.5 percent of 240?",
  "How many days are there between 2024-02-10 and 2024-03-01?",
  "Sort these words by length: pear, fig, banana",
  "Build a tool that converts Fahrenheit to Celsius",
];

const newRun = (id, text) => ({ id, text, steps: [], answer: null, error: null, asks: [], seen: -1 });

/** What a message changes about a run. */
function grown(run, message) {
  if (message.type === "agent_event") return { ...run, steps: [...run.steps, message.event], answer: proved(run.answer, message.event) };
  if (message.type === "question" || message.type === "approval") return { ...run, asks: [...run.asks.filter((one) => one.id !== message.id), message] };
  if (message.type === "answered") return { ...run, asks: run.asks.filter((one) => one.id !== message.id) };
  if (message.type === "query_complete") {
    return { ...run, asks: [], answer: message.answer || null, error: message.error || null, fresh: message.answer?.status === "done" };
  }
  return run;
}

/** An answer with what its proof said since. */
function proved(answer, event) {
  const said = event.data || {};
  if (!answer) return answer;
  if (event.kind === "proof") return { ...answer, proof: said.proof, tool: said.tool ?? answer.tool, version: said.version ?? answer.version, tool_confidence: said.confidence };
  if (event.kind === "correction") return { ...answer, text: event.text, result: said.result, correction: said };
  return answer;
}

/** Stored messages in pairs: what was asked, and what came of it. */
function paired(messages) {
  const runs = [];
  for (const message of messages) {
    if (message.author === "user") runs.push(newRun(null, message.text));
    else {
      const last = runs.at(-1) || newRun(null, "");
      if (!runs.length) runs.push(last);
      const said = message.data || { text: message.text };
      if (said.before !== undefined && last.answer) {
        const corrected = runs.find((run) => run.id === said.run_id) || last;
        corrected.answer = { ...corrected.answer, text: said.text, result: said.result, correction: said };
        continue;
      }
      last.answer = said;
      last.id = said.run_id || null;
    }
  }
  return runs;
}

export default function Chat({ rest }) {
  const [session, setSession] = useState(rest[0] || "");
  const [runs, setRuns] = useState([]);
  const [problem, setProblem] = useState(null);
  const [sessions, setSessions] = useState([]);
  const end = useRef(null);
  const wanted = useRef(session);

  const listSessions = () => get("/api/sessions?limit=30").then(setSessions, () => {});

  useEffect(() => {
    const off = live.watch((message) => {
      if (message.type === "run_started") {
        if (wanted.current && wanted.current !== message.session_id) return;
        wanted.current = message.session_id;
        setSession(message.session_id);
        history.replaceState(null, "", `#/chat/${message.session_id}`);
        setRuns((old) => {
          if (old.some((run) => run.id === message.run_id)) return old;
          const waiting = old.findIndex((run) => run.id === null && !run.answer && run.text === message.text);
          if (waiting < 0) return [...old, newRun(message.run_id, message.text)];
          return old.map((run, at) => (at === waiting ? { ...run, id: message.run_id } : run));
        });
      } else if (message.run_id) {
        setRuns((old) => old.map((run) => (run.id === message.run_id ? grown(run, message) : run)));
        if (message.type === "query_complete") listSessions();
      } else if (message.type === "query_complete" && message.error) {
        setRuns((old) => old.map((run) => (run.id === null && !run.answer ? { ...run, error: message.error } : run)));
      }
    });
    listSessions();
    return off;
  }, []);

  useEffect(() => {
    const chosen = rest[0] || "";
    if (chosen && chosen === session && runs.length) return;
    wanted.current = chosen;
    setSession(chosen);
    setProblem(null);
    setRuns([]);
    if (chosen) open(chosen, setRuns, setProblem);
  }, [rest[0]]);

  useEffect(() => {
    end.current?.scrollIntoView({ block: "end" });
  }, [runs]);

  const ask = (text, files) => {
    setProblem(null);
    setRuns((old) => [...old, newRun(null, text)]);
    live.send({ text, session: session || null, files });
  };

  const busy = runs.some((run) => run.id && !run.answer && !run.error);
  const list = html`<a class="button" href="#/chat" onClick=${() => { wanted.current = ""; setSession(""); setRuns([]); }}>New session</a>
    <ul>
      ${sessions.map(
        (one) => html`<li><a href=${`#/chat/${one.id}`} title=${one.title} aria-current=${one.id === session ? "true" : null}>${one.title || "untitled"}</a></li>`,
      )}
    </ul>`;
  return html`<div class="chat">
    <aside class="sessions" aria-label="Sessions">${list}</aside>
    <section class="talk">
      <details class="sessions small" key=${session}><summary>Sessions</summary>${list}</details>
      ${session && runs.length > 0 && html`<${SessionBar} session=${session} title=${sessions.find((one) => one.id === session)?.title} again=${listSessions} busy=${busy} />`}
      <div class="exchanges" aria-live="polite">
        ${!runs.length && !problem && html`<${Welcome} ask=${ask} />`}
        ${problem && html`<${Problem} error=${problem} />`}
        ${runs.map((run) => html`<${Exchange} run=${run} key=${run.id || run.text} />`)}
        <div ref=${end}></div>
      </div>
      <${Composer} ask=${ask} busy=${busy} stop=${() => runs.filter((run) => run.id && !run.answer).forEach((run) => live.send({ cancel: run.id }))} />
    </section>
  </div>`;
}

/** The name of the session, and what can be done with it as a whole. */
function SessionBar({ session, title, again, busy }) {
  const [asked, setAsked] = useState(null);
  const [name, setName] = useState("");
  const [lessons, setLessons] = useState(false);
  const [problem, setProblem] = useState(null);
  const erase = () => remove(`/api/sessions/${encodeURIComponent(session)}?lessons=${lessons}`).then(() => {
    setAsked(null);
    again();
    location.hash = "#/chat";
  }, (error) => { setAsked(null); setProblem(error); });
  const rename = () => patch(`/api/sessions/${encodeURIComponent(session)}`, { title: name.trim() }).then(() => { setAsked(null); again(); }, (error) => { setAsked(null); setProblem(error); });
  return html`<div class="sessionbar row"><h1 class="grow">${title || "This session"}</h1>
      <button class="quiet" onClick=${() => { setName(title || ""); setAsked("rename"); }}>Rename</button>
      <button class="quiet" disabled=${busy} onClick=${() => setAsked("delete")}>Delete</button></div>
    ${problem && html`<${Problem} error=${problem} />`}
    ${asked === "rename" && html`<${Confirm} title="Rename this session" yes="Rename" onYes=${rename} onNo=${() => setAsked(null)}>
      <label class="stack">Title <input required maxlength="200" value=${name} onInput=${(event) => setName(event.target.value)} /></label><//>`}
    ${asked === "delete" && html`<${Confirm} title="Delete this session for good?" yes="Delete" onYes=${erase} onNo=${() => setAsked(null)}>
      <p>What was said, called, made and traced in it goes. Tools that were built stay in the library.</p>
      <label><input type="checkbox" checked=${lessons} onChange=${(event) => setLessons(event.target.checked)} /> also undo what was learned from it alone</label><//>`}`;
}

async function open(session, setRuns, setProblem) {
  try {
    const [document, running] = await Promise.all([
      get(`/api/sessions/${session}`).catch((error) => (error.status === 404 ? { messages: [] } : Promise.reject(error))),
      get("/api/runs"),
    ]);
    const going = running.filter((run) => run.session_id === session && run.status === "running");
    if (!document.messages.length && !going.length && !document.id) {
      setProblem({ message: "There is no such session.", hint: "It may be somebody else's, or gone." });
    }
    setRuns([...paired(document.messages), ...going.map((run) => newRun(run.run_id, run.text))]);
    for (const run of going) live.resume(run.run_id);
  } catch (error) {
    setProblem(error);
  }
}

function Welcome({ ask }) {
  return html`<div class="welcome">
    <h1>Ask for something</h1>
    <p>Hammerstone answers with tools it owns. If none fits, it solves the request several times, tells you how sure it is, and proves the tool behind the answer afterwards. The second time is instant.</p>
    <div class="examples">${EXAMPLES.map((text) => html`<button onClick=${() => ask(text, [])}>${text}</button>`)}</div>
  </div>`;
}

function Exchange({ run }) {
  return html`<article class="exchange">
    <p class="asked">${run.text}</p>
    ${run.answer && !run.steps.length && run.id ? html`<${Earlier} run=${run} />` : html`<${Timeline} steps=${run.steps} run=${run} />`}
    ${!run.answer && !run.error && html`<${AnswerSoFar} steps=${run.steps} />`}
    ${run.asks.map((one) => html`<${Asks} run=${run} asks=${one} key=${one.id} />`)}
    ${run.answer && html`<${AnswerCard} answer=${run.answer} steps=${run.steps} />`}
    ${run.fresh && html`<${ToolQuestion} />`}
    ${run.error && html`<${Problem} error=${run.error} />`}
  </article>`;
}

/** The steps of a run that is over, fetched when somebody wants to see them. */
function Earlier({ run }) {
  const [steps, setSteps] = useState(null);
  const [problem, setProblem] = useState(null);
  const load = () => get(`/api/runs/${run.id}`).then((found) => setSteps(found.messages.filter((one) => one.type === "agent_event").map((one) => one.event)), setProblem);
  if (problem) return html`<${Problem} error=${problem} />`;
  if (steps) return html`<${Timeline} steps=${steps} run=${run} opened=${true} />`;
  return html`<p class="timeline"><button class="link" onClick=${load}>steps</button></p>`;
}

function Composer({ ask, busy, stop }) {
  const [text, setText] = useState("");
  const [files, setFiles] = useState([]);
  const [over, setOver] = useState(false);
  const [problem, setProblem] = useState(null);
  const box = useRef(null);
  useEffect(() => box.current?.focus(), []);

  const give = async (list) => {
    setProblem(null);
    for (const file of list) {
      try {
        const kept = await upload(file);
        setFiles((old) => [...old.filter((one) => one !== kept.name), kept.name]);
      } catch (error) {
        setProblem(error);
      }
    }
  };
  const submit = (event) => {
    event?.preventDefault();
    if (!text.trim()) return;
    ask(text.trim(), files);
    setText("");
    setFiles([]);
  };
  const dropped = (event) => {
    event.preventDefault();
    setOver(false);
    give(event.dataTransfer.files);
  };
  const pick = (event) => {
    give([...event.target.files]);
    event.target.value = "";
  };
  return html`<form
    class=${`composer ${over ? "over" : ""}`}
    onSubmit=${submit}
    onDragOver=${(event) => { event.preventDefault(); setOver(true); }}
    onDragLeave=${() => setOver(false)}
    onDrop=${dropped}
  >
    ${problem && html`<${Problem} error=${problem} />`}
    ${files.length > 0 && html`<p class="files">
      ${files.map((name) => html`<span class="file">${name} <button type="button" aria-label=${`Remove ${name}`} onClick=${() => setFiles(files.filter((one) => one !== name))}>×</button></span>`)}
    </p>`}
    <textarea
      ref=${box}
      rows="2"
      aria-label="Your request"
      placeholder="Ask for something; drop files here"
      value=${text}
      onInput=${(event) => setText(event.target.value)}
      onKeyDown=${(event) => event.key === "Enter" && !event.shiftKey && !event.isComposing && submit(event)}
    ></textarea>
    <div class="row">
      <label class="button quiet">Add files <input type="file" multiple hidden onChange=${pick} /></label>
      <span class="grow hint">Enter sends, Shift+Enter breaks the line</span>
      ${busy && html`<button type="button" onClick=${stop}>Stop</button>`}
      <button class="primary" disabled=${!text.trim()}>Send</button>
    </div>
  </form>`;
}
