// What every page draws with: one tag function, the hooks, and a few small pieces.
import { h, render } from "./vendor/preact.mjs";
import htm from "./vendor/htm.mjs";
export { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./vendor/hooks.mjs";
import { useEffect, useRef, useState } from "./vendor/hooks.mjs";

export const html = htm.bind(h);
export { render };

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

export function Facts({ of }) {
  const shown = Object.entries(of).filter(([, value]) => value !== null && value !== undefined);
  return html`<dl class="facts">
    ${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
  </dl>`;
}
