// What every page draws with: one tag function, the hooks, and a few small pieces.
import { h, render } from "./vendor/preact.mjs";
import htm from "./vendor/htm.mjs";
export { useCallback, useEffect, useMemo, useRef, useState } from "./vendor/hooks.mjs";
import { useEffect, useRef, useState } from "./vendor/hooks.mjs";

export const html = htm.bind(h);
export { render };

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

/** False for the first second after `key` changed: a key or a click that was meant for something
 * else does not count for what has just appeared in its place. */
export function useSettled(key, after_ms = 1000) {
  const [settled, setSettled] = useState(null);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(key), after_ms);
    return () => clearTimeout(timer);
  }, [key]);
  return settled === key;
}

/** A loaded value, or that it is still coming, or why it is not. */
export function Loaded({ of, children }) {
  if (of.error) return html`<${Problem} error=${of.error} again=${of.again} />`;
  if (of.value === undefined) return html`<p class="loading">Loading …</p>`;
  return children(of.value);
}

export function Problem({ error, again }) {
  return html`<div class="problem" role="alert">
    <strong>${error.message}</strong>
    ${error.hint && html`<span>${error.hint}</span>`}
    ${again && html`<button onClick=${again}>Try again</button>`}
  </div>`;
}

/** Asks once more before something happens; with `reason`, also why. */
export function Confirm({ title, children, yes, reason, onYes, onNo }) {
  const box = useRef(null);
  const [why, setWhy] = useState("");
  useEffect(() => box.current?.showModal(), []);
  return html`<dialog ref=${box} aria-label=${title} onClose=${onNo}>
    <form method="dialog" onSubmit=${(event) => { event.preventDefault(); onYes(why); }}>
      <h2>${title}</h2>
      ${children}
      ${reason && html`<label class="stack">${reason} <input value=${why} maxlength="400" onInput=${(event) => setWhy(event.target.value)} /></label>`}
      <div class="row"><button class="primary">${yes}</button><button type="button" onClick=${onNo}>Cancel</button></div>
    </form>
  </dialog>`;
}

/** A table that may be wider than the screen: scrolled by itself, also with the keyboard. */
export function Wide({ about, children }) {
  return html`<div class="wide" tabindex="0" role="region" aria-label=${about}>${children}</div>`;
}

export function Empty({ children }) {
  return html`<div class="empty">${children}</div>`;
}

export function Status({ of }) {
  return html`<span class=${`status ${of}`}>${of}</span>`;
}

export function Facts({ of }) {
  const shown = Object.entries(of).filter(([, value]) => value !== null && value !== undefined);
  return html`<dl class="facts">
    ${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
  </dl>`;
}

export const times = (count) => (count === 0 ? "not used yet" : count === 1 ? "used once" : `used ${count} times`);

export const percent = (share) =>
  share === null || share === undefined ? "–" : `${Math.round(share * 100)} %`;

export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 0.001) return "< 1 ms";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 90) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

export function bytes(size) {
  if (size < 1000) return `${size} B`;
  if (size < 1e6) return `${(size / 1e3).toFixed(1)} kB`;
  return `${(size / 1e6).toFixed(1)} MB`;
}

export function when(text) {
  if (!text) return "–";
  const then = new Date(text);
  const today = then.toDateString() === new Date().toDateString();
  const clock = then.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", ...(today ? { second: "2-digit" } : {}) });
  return html`<time datetime=${text} title=${text}>${today ? "" : `${then.toLocaleDateString()} `}${clock}</time>`;
}
