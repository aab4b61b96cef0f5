// Right or wrong, and what it should have been: a stated value is a test of the tool from then on.
import { post } from "../api.js";
import { shortened } from "../format.js";
import { html, useEffect, useRef, useState } from "../ui.js";

const shown = (value) => shortened(typeof value === "string" ? value : JSON.stringify(value), 80);
const told = (said) => (said.right ? "You said: right." : said.value === null || said.value === undefined ? "You said: wrong." : `You said: wrong, it should be ${shown(said.value)}.`);

/** `said` is what the person said before, here or in another window. */
export function Feedback({ run, said }) {
  const [reply, setReply] = useState("");
  const [asks, setAsks] = useState(false);
  const [busy, setBusy] = useState(false);
  const [again, setAgain] = useState(false);
  const value = useRef(null);
  const send = (body) => {
    setBusy(true);
    setAsks(false);
    setAgain(false);
    post(`/api/runs/${run}/feedback`, body).then((done) => setReply(done.said), (error) => setReply(error.message)).finally(() => setBusy(false));
  };
  const state = (event) => {
    event.preventDefault();
    const text = value.current.value.trim();
    send(text ? { right: false, expected: stated(text) } : { right: false });
  };
  useEffect(() => asks && value.current?.focus(), [asks]);
  if (busy) return html`<span class="said working" role="status">Taking it in</span>`;
  if ((reply || said) && !again) {
    return html`<span class="said" role="status">${reply || told(said)} <button class="link" onClick=${() => setAgain(true)}>Change</button></span>`;
  }
  return html`<span class="feedback"><button onClick=${() => send({ right: true })}>Right</button> <button aria-expanded=${asks} onClick=${() => setAsks(!asks)}>Wrong</button>
    ${asks && html`<form onSubmit=${state}><label>What should it have been? <input ref=${value} placeholder="if you know it" maxlength="2000" /></label><button>Send</button></form>`}</span>`;
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
