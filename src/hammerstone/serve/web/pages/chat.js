// Conversations: requests, live steps, questions, answers.
import { get } from "../api.js";
import { live } from "../live.js";
import { Composer, moveDraft } from "../parts/composer.js";
import { beganBefore, ended, grown, isGoing, newRun, stored } from "../parts/conversation.js";
import { SessionBar, SessionList } from "../parts/sessions.js";
import { html, Problem, useEffect, useRef, useState } from "../ui.js";

const EXAMPLES = [
  "What is 17.5 percent of 240?",
  "How many days are there between 2024-02-10 and 2024-03-01?",
  "Sort these words by length: pear, fig, banana",
  "Build a tool that converts Fahrenheit to Celsius",
];
const NEAR_PX = 60; // so close to the end counts as reading the newest
const SETTLED_MS = 1500; // after a change, what is drawn belongs to it

export default function Chat({ rest }) {
  const [session, setSession] = useState(rest[0] || "");
  const [runs, setRuns] = useState([]);
  const [problem, setProblem] = useState(null);
  const [sessions, setSessions] = useState([]);
  const [changed, setChanged] = useState(0);
  const [Turn, setTurn] = useState(null);
  const wanted = useRef(session);
  const known = useRef([]);
  known.current = runs;
  const list = useRef(null);
  const following = useFollowing(list, runs, Turn);

  const change = (id, how) => setRuns((old) => old.map((run) => (run.id === id ? how(run) : run)));
  const found = (all) => setSessions((old) => [...all, ...old.filter((one) => !all.some((other) => other.id === one.id))]);
  const again = () => setChanged((number) => number + 1);

  useEffect(() => live.watch((message) => {
    if (message.type === "line") return message.state === "open" && wanted.current && catchUp();
    if (message.type === "run_started") return begun(message);
    if (message.type === "session_changed") return agree(message);
    if (message.type === "run_gone") return get(`/api/runs/${message.run_id}`).then((row) => change(message.run_id, (run) => (isGoing(run) ? ended(run, row) : run)), () => {});
    if (message.run_id) {
      change(message.run_id, (run) => grown(run, message));
      if (message.type === "query_complete") again();
    } else if (message.type === "query_complete" && message.error) {
      setRuns((old) => old.map((run) => (run.id === null && isGoing(run) ? { ...run, error: message.error } : run)));
    }
  }), []);

  const begun = (message) => {
    if (wanted.current && wanted.current !== message.session_id) return;
    if (!wanted.current) moveDraft(message.session_id);
    wanted.current = message.session_id;
    setSession(message.session_id);
    history.replaceState(null, "", `#/chat/${message.session_id}`);
    const more = { files: message.files || [], began: beganBefore(message.elapsed_s) };
    setRuns((old) => {
      if (old.some((run) => run.id === message.run_id)) return old.map((run) => (run.id === message.run_id ? { ...run, ...more } : run));
      const waiting = old.findIndex((run) => run.id === null && isGoing(run) && run.text === message.text);
      if (waiting < 0) return [...old, newRun(message.run_id, message.text, more)];
      return old.map((run, at) => (at === waiting ? { ...run, id: message.run_id } : run));
    });
  };

  /** What another window, or somebody at the terminal, did to a session. */
  const agree = (message) => {
    again();
    if (message.session_id !== wanted.current) return;
    if (message.change === "started" && !known.current.some((run) => run.id === message.run_id || (run.id === null && isGoing(run)))) live.resume(message.run_id);
    if (message.change === "judged") change(message.run_id, (run) => ({ ...run, feedback: message.feedback }));
    if (message.change === "decided") setRuns((old) => old.map((run) => ({ ...run, asks: run.asks.filter((one) => one.id !== message.approval) })));
    if (message.change === "deleted" && location.hash.includes(message.session_id)) {
      setRuns([]);
      setProblem({ message: "This session was deleted.", hint: "Start a new one, or choose another." });
    }
  };

  /** After a lost line: what was answered meanwhile, here or by another window. */
  const catchUp = () => get(`/api/sessions/${wanted.current}`).then((document) => {
    const fresh = stored(document);
    setProblem(null);
    found([document]);
    setRuns((old) => [
      ...fresh.map((run) => old.find((one) => one.id === run.id && one.id !== null && (isGoing(run) || one.steps.length)) || run),
      ...old.filter((run) => isGoing(run) && !fresh.some((one) => one.id === run.id && run.id !== null)),
    ]);
  }, () => {});

  useEffect(() => {
    const chosen = rest[0] || "";
    if (chosen && chosen === session && runs.length) return;
    wanted.current = chosen;
    setSession(chosen);
    setProblem(null);
    setRuns([]);
    if (chosen) open(chosen, setRuns, setProblem, found);
  }, [rest]); // not its value: a first request gives the address an id that the page was not told

  // What draws answers is fetched with the first request: an empty page does without.
  const shown = runs.length > 0;
  useEffect(() => {
    if (shown && !Turn) import("../parts/turn.js").then((module) => setTurn(() => module.Turn));
  }, [shown]);

  const ask = (text, files = [], more = {}) => {
    setProblem(null);
    setRuns((old) => [...old, newRun(null, text, { files })]);
    following.end();
    live.ask({ text, session: session || null, files, ...more });
  };

  const busy = runs.some((run) => run.id && isGoing(run));
  const start = () => { wanted.current = ""; setSession(""); setRuns([]); setProblem(null); };
  const narrow = useNarrow();
  const sidebar = html`<${SessionList} session=${session} changed=${changed} start=${start} found=${found} />`;
  return html`<div class="chat">
    ${!narrow && html`<aside class="sessions" aria-label="Sessions">${sidebar}</aside>`}
    <section class="talk" aria-label="Conversation">
      ${narrow && html`<details class="sessions small" key=${session}><summary>Sessions</summary>${sidebar}</details>`}
      ${session && shown && html`<${SessionBar} session=${session} title=${sessions.find((one) => one.id === session)?.title} busy=${busy} />`}
      <${Announcer} runs=${runs} />
      <div class="exchanges" ref=${list} role="log" aria-live="off" aria-label="Requests and answers" onScroll=${following.scrolled}><div>
        ${!shown && !problem && html`<${Welcome} ask=${ask} />`}
        ${problem && html`<${Problem} error=${problem} /><p><a class="button" href="#/chat" onClick=${start}>New session</a></p>`}
        ${runs.map((run, at) => (Turn
          ? html`<${Turn} run=${run} key=${run.id || `${at} ${run.text}`} ask=${ask} change=${change} />`
          : html`<p class="asked" dir="auto">${run.text}</p>`))}
      </div></div>
      ${following.below && html`<button class="below" onClick=${following.end}>New below ↓</button>`}
      <${LostLine} />
      <${Composer} session=${session} earlier=${runs.map((run) => run.text)} ask=${ask} busy=${busy} stop=${() => runs.filter((run) => run.id && isGoing(run)).forEach((run) => live.send({ cancel: run.id }))} />
    </section>
  </div>`;
}

/** Whether there is no room for the sessions beside the conversation. */
function useNarrow() {
  const [media] = useState(() => matchMedia("(max-width: 900px)"));
  const [narrow, setNarrow] = useState(media.matches);
  useEffect(() => {
    const turned = () => setNarrow(media.matches);
    media.addEventListener("change", turned);
    return () => media.removeEventListener("change", turned);
  }, []);
  return narrow;
}

/** Keeps the newest in view while the reader is at the end, and leaves them alone elsewhere. */
function useFollowing(list, runs, Turn) {
  const atEnd = useRef(true);
  const changed = useRef(0);
  const [below, setBelow] = useState(false);
  const top = useRef(0);
  // Until the next frame the reader may have moved up: then they are left there.
  const end = () => {
    atEnd.current = true;
    setBelow(false);
    requestAnimationFrame(() => (atEnd.current ? list.current?.scrollTo({ top: list.current.scrollHeight }) : setBelow(true)));
  };
  // Only who moves up leaves the end; what grows below does not take them away from it.
  const scrolled = () => {
    const box = list.current;
    if (box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX) {
      atEnd.current = true;
      setBelow(false);
    } else if (box.scrollTop < top.current) atEnd.current = false;
    top.current = box.scrollTop;
  };
  useEffect(() => {
    changed.current = performance.now();
    if (atEnd.current) end();
    else if (runs.length) setBelow(true);
  }, [runs, Turn]); // what draws the turns may come after them
  // What is drawn a moment later (a picture, a plot) is followed, what the reader unfolds is not.
  useEffect(() => {
    const watch = new ResizeObserver(() => atEnd.current && performance.now() - changed.current < SETTLED_MS && end());
    watch.observe(list.current.firstElementChild);
    return () => watch.disconnect();
  }, []);
  return { below, end, scrolled };
}

async function open(session, setRuns, setProblem, found) {
  try {
    const [document, running] = await Promise.all([
      get(`/api/sessions/${encodeURIComponent(session)}`).catch((error) => (error.status === 404 ? null : Promise.reject(error))),
      get("/api/runs"),
    ]);
    const going = running.filter((run) => run.session_id === session && run.status === "running");
    if (!document && !going.length) {
      setProblem({ message: "You have no session at this address.", hint: "It was deleted, or it belongs to somebody else. Ask them for what you need." });
      return;
    }
    const runs = document ? stored(document) : [];
    if (document) found([document]);
    const begun = going.filter((one) => !runs.some((run) => run.id === one.run_id));
    setRuns([...runs, ...begun.map((one) => newRun(one.run_id, one.text, { files: one.files, began: beganBefore(one.elapsed_s) }))]);
    for (const one of going) live.resume(one.run_id);
  } catch (error) {
    setProblem(error);
  }
}

function Welcome({ ask }) {
  return html`<div class="welcome">
    <h1>Ask for something</h1>
    <p>Hammerstone answers with tools it owns. If none fits, it solves the request several times, tells you how sure it is, and proves the tool behind the answer afterwards. The second time is instant.</p>
    <h2>Try one of these</h2>
    <div class="examples">${EXAMPLES.map((text) => html`<button onClick=${() => ask(text)}>${text}</button>`)}</div>
  </div>`;
}

/** One quiet line for screen readers: that work began, then what came of it. */
function Announcer({ runs }) {
  const last = runs.at(-1);
  const began = useRef(null);
  if (last && isGoing(last)) began.current = last.text;
  let said = "";
  if (last && isGoing(last)) said = last.asks.length ? "Your decision is needed." : "Working on your request.";
  else if (last && began.current === last.text) said = last.error ? `Not answered: ${last.error.message}` : `Answer: ${(last.answer.text || "").slice(0, 300)}`;
  return html`<p class="unseen" role="status">${said}</p>`;
}

/** Says that the line is lost, and when it is tried again. */
function LostLine() {
  const [retry, setRetry] = useState(null);
  const [, setTick] = useState(0);
  useEffect(() => live.watch((message) => message.type === "line" && setRetry(message.state === "lost" ? performance.now() + message.retry_ms : null)), []);
  useEffect(() => {
    if (retry === null) return undefined;
    const timer = setInterval(() => setTick((tick) => tick + 1), 500);
    return () => clearInterval(timer);
  }, [retry]);
  if (retry === null) return null;
  const left = Math.max(0, Math.ceil((retry - performance.now()) / 1000));
  return html`<div class="problem lost"><strong role="alert">The connection to Hammerstone is lost.</strong>
    <span>${left ? `Trying again in ${left} s.` : "Trying again …"} What you send waits until it is back.</span>
    <button onClick=${() => live.retry()}>Try now</button></div>`;
}
