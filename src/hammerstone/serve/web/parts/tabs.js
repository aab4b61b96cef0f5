// Tabs with one stop for the Tab key: arrows, Home and End move between them.
import { html, useRef } from "../ui.js";

/** `of`: titles by key. The chosen tab's content is given as the child. */
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
