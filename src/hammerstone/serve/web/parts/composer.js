// Where a request is written: with files, a draft that is kept, and earlier requests on the up key.
import { get, upload } from "../api.js";
import { html, Problem, useEffect, useLayoutEffect, useRef, useState } from "../ui.js";

const MOST_KEPT = 50;
const draftOf = (session) => `hammerstone.draft.${session || "new"}`;
const ASKED = "hammerstone.asked";

const asked = () => {
  try {
    return JSON.parse(sessionStorage.getItem(ASKED)) || [];
  } catch {
    return [];
  }
};
const remember = (text) => sessionStorage.setItem(ASKED, JSON.stringify([...asked().filter((one) => one !== text), text].slice(-MOST_KEPT)));

/** What is being written while a new session gets its address goes with it. */
export function moveDraft(session) {
  const text = sessionStorage.getItem(draftOf(""));
  if (text) sessionStorage.setItem(draftOf(session), text);
  sessionStorage.removeItem(draftOf(""));
}

/** The name of a model as people know it. */
export const modelName = (name) => (name === "local" ? "the embedded model" : name);

export function Composer({ session, earlier, ask, busy, stop }) {
  const [text, setText] = useState(sessionStorage.getItem(draftOf(session)) || "");
  const [files, setFiles] = useState([]);
  const [over, setOver] = useState(false);
  const [problem, setProblem] = useState(null);
  const [model, setModel] = useState("");
  const [back, setBack] = useState(0);
  const box = useRef(null);
  const picker = useRef(null);
  useLayoutEffect(() => {  // before anybody can type: later it would take letters away
    setText(sessionStorage.getItem(draftOf(session)) || "");
    box.current?.focus();
  }, [session]);

  const write = (value) => {
    setText(value);
    if (value) sessionStorage.setItem(draftOf(session), value);
    else sessionStorage.removeItem(draftOf(session));
  };
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
    box.current?.focus();
  };
  const submit = (event) => {
    event?.preventDefault();
    const request = text.trim();
    if (!request) return;
    ask(request, files, model ? { model } : {});
    remember(request);
    write("");
    setFiles([]);
    setBack(0);
    box.current?.focus();
  };
  const recall = (event) => {
    const all = [...new Set([...asked(), ...earlier].reverse())];
    const next = back + (event.key === "ArrowUp" ? 1 : -1);
    if ((text && !back) || next < 0 || next > all.length) return;
    event.preventDefault();
    setBack(next);
    write(next ? all[next - 1] : "");
  };
  const keyed = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
    else if (event.key === "ArrowUp" || event.key === "ArrowDown") recall(event);
  };
  const dropped = (event) => {
    event.preventDefault();
    setOver(false);
    give(event.dataTransfer.files);
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
      dir="auto"
      aria-label="Your request"
      placeholder="Ask for something, or drop files here (↑ brings back earlier requests)"
      value=${text}
      onInput=${(event) => { setBack(0); write(event.target.value); }}
      onKeyDown=${keyed}
    ></textarea>
    <div class="row">
      <button type="button" class="quiet" onClick=${() => picker.current.click()}>Add files</button>
      <input ref=${picker} type="file" multiple hidden onChange=${(event) => { give([...event.target.files]); event.target.value = ""; }} />
      <${ModelChoice} model=${model} choose=${setModel} />
      <span class="grow hint keys">Enter sends, Shift+Enter adds a line</span>
      ${busy && html`<button type="button" onClick=${stop}>Stop</button>`}
      <button class="primary" disabled=${!text.trim()}>Send</button>
    </div>
  </form>`;
}

/** Which model answers; a choice where several are set up. */
function ModelChoice({ model, choose }) {
  const [known, setKnown] = useState(null);
  useEffect(() => {
    get("/api/settings").then(setKnown, () => {});
  }, []);
  const choices = known?.choices || [];
  if (choices.length < 2) return choices.length ? html`<span class="hint model" title="Set up more models in the settings file to choose among them.">Answers: ${modelName(choices[0])}</span>` : null;
  return html`<select class="quiet" aria-label="Model" title="Which model answers" value=${model} onChange=${(event) => choose(event.target.value)}>
    <option value="">model: as set up</option>
    ${choices.map((name) => html`<option value=${name}>${modelName(name)}</option>`)}
  </select>`;
}
