// An answer: the result first, then where it came from.
import { fileAddress, get, post, save } from "../api.js";
import { bytes, duration, html, percent, useEffect, useRef, useState } from "../ui.js";
import { Result } from "./result.js";

const PROOFS = {
  pending: "the tool behind it is being proved",
  proved: "proved tool",
  unproved: "tool not proved",
};

/** How sure the answer is and why; the other results where solutions disagreed. */
function Sureness({ answer }) {
  if (!answer.sureness) return null;
  const others = answer.alternatives || [];
  return html`<div class=${`sureness ${answer.sureness}`}>
    <p><strong>${answer.sureness}</strong> <span title="the chance that this answer is right">${percent(answer.confidence)}</span> <span>${answer.why}</span></p>
    ${others.length > 0 && answer.sureness !== "sure" && html`<p class="others">Other results: ${others.map((one, at) => html`${at ? ", " : ""}<code>${brief(one.value)}</code> (${one.agree} of ${answer.solutions})`)}</p>`}
  </div>`;
}

function brief(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** The value that solutions agree on so far, while more of them are being written. */
export function AnswerSoFar({ steps }) {
  const last = steps.filter((step) => step.kind === "answer").at(-1);
  if (!last) return null;
  const data = last.data || {};
  return html`<div class="answer card sofar" role="status">
    <${Result} value=${data.value} words=${last.text} />
    <div class=${`sureness ${data.sureness}`}><p><strong>${data.sureness}</strong> <span>${percent(data.confidence)}</span> <span>${data.why}; ${data.settled ? "finding out how sure this is" : "checking further"}</span></p></div>
  </div>`;
}

export function AnswerCard({ answer, steps }) {
  const [why, setWhy] = useState(false);
  const failed = answer.status === "failed";
  const cost = answer.cost || {};
  const proof = (steps || []).map((step) => step.kind === "proof" && step.data && step.data.proof).filter(Boolean).at(-1) || answer.proof;
  const words = answer.text || "";
  const note = words.includes("\n(") ? words.slice(words.indexOf("\n(") + 1) : "";
  return html`<div class=${`answer card ${answer.status || ""}`}>
    ${failed || answer.result === null || answer.result === undefined
      ? html`<p class="words">${words}</p>`
      : html`<${Result} value=${answer.result} words=${words} />`}
    ${note && !note.startsWith("(unsure") && html`<p class="note">${note}</p>`}
    ${answer.correction && html`<p class="note correction">Corrected: the proof came to another value.</p>`}
    <${Sureness} answer=${answer} />
    ${answer.call && html`<p class="call"><code>${brief(answer.call)}</code></p>`}
    ${(answer.files || []).map((file) => html`<${MadeFile} file=${file} />`)}
    <p class="about">
      ${answer.tool && html`<a href=${`#/library/${encodeURIComponent(answer.tool)}`}>${answer.tool} v${answer.version}</a>`}
      ${PROOFS[proof] && html`<span class=${`proof ${proof}`} title=${answer.tool_confidence ? `the tool is right in general: ${percent(answer.tool_confidence)}` : ""}>${PROOFS[proof]}</span>`}
      ${answer.cached && html`<span class="cached">cached</span>`}
      ${cost.seconds !== undefined && html`<span>${duration(cost.seconds)}</span>`}
      ${cost.tokens > 0 && html`<span>${cost.tokens} tokens, ${cost.model_calls} model calls</span>`}
      ${cost.usd > 0 && html`<span>$${cost.usd.toFixed(4)}</span>`}
      ${answer.trace_id && html`<a href=${`#/traces/${answer.trace_id}`}>trace</a>`}
      ${!failed && answer.status !== "question" && answer.result !== null && answer.result !== undefined && answer.run_id && html`<${Feedback} run=${answer.run_id} />`}
      ${answer.tool && html`<button class="link" aria-expanded=${why} onClick=${() => setWhy(!why)}>why this tool?</button>`}
    </p>
    ${why && html`<${Why} answer=${answer} steps=${steps} />`}
  </div>`;
}

/** Right or wrong, and what is right: a stated value is a test of the tool from then on. */
function Feedback({ run }) {
  const [said, setSaid] = useState("");
  const [asks, setAsks] = useState(false);
  const [busy, setBusy] = useState(false);
  const value = useRef(null);
  const send = (body) => {
    setBusy(true);
    post(`/api/runs/${run}/feedback`, body).then((done) => setSaid(done.said), (error) => setSaid(error.message)).finally(() => setBusy(false));
  };
  const state = (event) => {
    event.preventDefault();
    const text = value.current.value.trim();
    send(text ? { right: false, expected: stated(text) } : { right: false });
  };
  useEffect(() => asks && value.current?.focus(), [asks]);
  if (said) return html`<span class="said" role="status">${said}</span>`;
  if (busy) return html`<span role="status">Looking into it …</span>`;
  return html`<span class="feedback"><button class="link" onClick=${() => send({ right: true })}>right</button> <button class="link" aria-expanded=${asks} onClick=${() => setAsks(!asks)}>wrong</button>
    ${asks && html`<form onSubmit=${state}><input ref=${value} aria-label="What is right, if you know it" placeholder="what is right, if you know it" maxlength="2000" /><button>Send</button></form>`}</span>`;
}

/** A value as it was typed: JSON where it is JSON, a number with its commas, or the text. */
function stated(text) {
  const plain = /^[-+]?\d[\d,]*(\.\d+)?$/.test(text) ? text.replaceAll(",", "").replace(/^\+/, "") : text;
  try {
    return JSON.parse(plain);
  } catch {
    return text;
  }
}

function Why({ answer, steps }) {
  const [found, setFound] = useState(null);
  const [known, setKnown] = useState(steps);
  const chosen = known.find((step) => step.kind === "tool_found");
  const built = known.some((step) => step.kind === "synthesizing");
  useEffect(() => {
    get(`/api/tools/${encodeURIComponent(answer.tool)}`).then(setFound, () => setFound(false));
    // An answer from an earlier visit comes without its steps; they are stored with its run.
    if (!steps.length && answer.run_id) get(`/api/runs/${answer.run_id}`).then((run) => setKnown(run.messages.filter((one) => one.event).map((one) => one.event)), () => {});
  }, []);
  const box = useRef(null);
  useEffect(() => box.current?.scrollIntoView({ block: "nearest" }), [found]);
  if (found === null) return html`<p class="loading">Looking …</p>`;
  return html`<div class="why" ref=${box}>
    ${built && !chosen && html`<p>No tool of the library fitted, so this one was built for the request.</p>`}
    ${chosen && html`<p>${chosen.text}. ${chosen.data?.why ? html`<code>${typeof chosen.data.why === "string" ? chosen.data.why : JSON.stringify(chosen.data.why)}</code>` : ""}</p>`}
    ${found && html`<p>It promises: ${found.description} It has ${found.suite.length} tests, was called ${found.uses} ${found.uses === 1 ? "time" : "times"} and succeeded ${found.successes === found.uses ? "always" : `${found.successes} times`}.</p>`}
    ${answer.cached && !chosen && !built && html`<p>The same request was answered with it before.</p>`}
  </div>`;
}

function MadeFile({ file }) {
  const [address, setAddress] = useState(null);
  const picture = file.media_type.startsWith("image/") && file.media_type !== "image/svg+xml";
  useEffect(() => {
    let made = null;
    if (picture) fileAddress(file.id, true).then((url) => setAddress((made = url)), () => {});
    return () => made && URL.revokeObjectURL(made);
  }, [file.id]);
  return html`<figure class="made">
    ${address && html`<img src=${address} alt=${file.name} />`}
    <figcaption>${file.name} (${bytes(file.size_bytes)}) <button onClick=${() => save(file.id, file.name)}>Save</button></figcaption>
  </figure>`;
}
