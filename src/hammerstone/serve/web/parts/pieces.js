// What every page but the chat is made of: loading, tables, states, moments.
import { moment } from "../format.js";
import { html, Problem, useEffect, useState } from "../ui.js";

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
