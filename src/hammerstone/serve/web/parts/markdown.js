// Markdown of a model's prose. What reads and cleans it is fetched when the first prose is shown.
import { html, useEffect, useState } from "../ui.js";
import { seen } from "./plain.js";

const TAGS = "p br strong em del code pre ul ol li blockquote h1 h2 h3 h4 h5 h6 table thead tbody tr th td a hr".split(" ");
let reader = null;

async function load() {
  const [{ Marked }, { default: purify }] = await Promise.all([import("../vendor/marked.mjs"), import("../vendor/purify.mjs")]);
  const marked = new Marked({ gfm: true, breaks: true });
  // No pictures and no styles: nothing is fetched from outside, and nothing looks like the app's own.
  const rules = { ALLOWED_TAGS: TAGS, ALLOWED_ATTR: ["href", "start", "align"], ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i, ALLOW_DATA_ATTR: false };
  purify.addHook("afterSanitizeAttributes", (node) => {
    if (node.tagName === "A") { node.setAttribute("target", "_blank"); node.setAttribute("rel", "noopener noreferrer"); }
    if (node.tagName === "PRE") node.setAttribute("tabindex", "0");
  });
  reader = (text) => purify.sanitize(marked.parse(text), rules);
}

/** Prose with headings, lists, code blocks and tables; plain text until the reader is there. */
export function Markdown({ text }) {
  const [ready, setReady] = useState(reader !== null);
  useEffect(() => {
    if (!reader) load().then(() => setReady(true), () => {});
  }, []);
  if (!ready) return html`<div class="prose plain" dir="auto">${seen(text)}</div>`;
  return html`<div class="prose" dir="auto" dangerouslySetInnerHTML=${{ __html: reader(seen(text)) }}></div>`;
}
