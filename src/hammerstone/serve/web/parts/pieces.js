// What every page but the chat is made of: loading, tables, states, moments.
import { moment } from "../format.js";
import { html, Problem, useEffect, useRef, useState } from "../ui.js";

/** Loads when `key` changes; `{value, error, again}`. */
export function useLoaded(load, key) {
  const [state, setState] = useState({ value: undefined, error: null });
  const [round, setRound] = useState(0);
  useEffect(() => {
    let current = true;
    setState((old) => ({ ...old, error: null }));
    load().then(
      (value) => current && setState({ value, error: null }),
      (error) => current && setState({ value: undefined, error }),
    );
    return () => {
      current = false;
    };
  }, [key, round]);
  return { ...state, again: () => setRound((n) => n + 1) };
}

/** A loaded value, or that it is still coming, or why it is not. */
export function Loaded({ of, children }) {
  if (of.error) return html`<${Problem} error=${of.error} again=${of.again} />`;
  if (of.value === undefined) return html`<p class="loading">Loading …</p>`;
  return children(of.value);
}

/** A table that may be wider than the screen: scrolled by itself, also with the keyboard. */
export function Wide({ about, children }) {
  return html`<div class="wide" tabindex="0" role="region" aria-label=${about}>${children}</div>`;
}

export function Empty({ children }) {
  return html`<div class="empty">${children}</div>`;
}


/** A moment as people write it, with the exact one behind it. */
export const when = (text) => (text ? html`<time datetime=${text} title=${text}>${moment(text)}</time>` : moment(text));

// States that the engine names in a word of its own, in words for people.
const STATES = {
  success: "went well", error: "failed", timeout: "took too long",
  promoted: "in use", probation: "on trial", proposed: "waits for you", waiting: "waits for you", promoting: "being done",
  "rolled back": "taken back", quarantined: "given up", watching: "still watched", settled: "kept", contained: "stopped", "not contained": "NOT stopped",
};

export function Status({ of }) {
  return html`<span class=${`status ${String(of).replaceAll(" ", "-")}`}>${STATES[of] || of}</span>`;
}

/** Tabs with one stop for the Tab key: arrows, Home and End move between them. `of` has titles by key;
 * the chosen tab's content is given as the child. */
export function Tabs({ about, of, chosen, choose, children }) {
  const box = useRef(null);
  const keys = Object.keys(of);
  const keyed = (event) => {
    const at = keys.indexOf(chosen);
    const to = { ArrowRight: (at + 1) % keys.length, ArrowLeft: (at + keys.length - 1) % keys.length, Home: 0, End: keys.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(keys[to]);
    box.current.querySelectorAll("[role=tab]")[to].focus();
  };
  return html`<div class="tabs" role="tablist" aria-label=${about} ref=${box} onKeyDown=${keyed}>
      ${keys.map((key) => html`<button role="tab" id=${`tab-${key}`} aria-controls="tabpanel" aria-selected=${chosen === key ? "true" : "false"} tabindex=${chosen === key ? 0 : -1} onClick=${() => choose(key)}>${of[key]}</button>`)}
    </div>
    <div role="tabpanel" id="tabpanel" aria-labelledby=${`tab-${chosen}`}>${children}</div>`;
}
