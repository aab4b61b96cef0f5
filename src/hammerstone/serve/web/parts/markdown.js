// Markdown of a model's prose. What reads it is fetched when the first prose is shown.
import { html, useEffect, useState } from "../ui.js";
import { seen } from "./plain.js";

// No pictures and no styles: nothing is fetched from outside, and nothing looks like the app's own.
const TAGS = new Set("p br strong em del code pre ul ol li blockquote h1 h2 h3 h4 h5 h6 table thead tbody tr th td a hr".split(" "));
const UNREAD = new Set("script style template noscript noembed noframes iframe object title textarea select option svg math".split(" "));
const ATTRIBUTES = ["start", "align"];
const ADDRESS = /^(?:https?|mailto):/i;
let reader = null;

async function load() {
  const { Marked } = await import("../vendor/marked.mjs");
  const marked = new Marked({ gfm: true, breaks: true });
  // The document of a parser loads and runs nothing, and what is shown is made anew from its names.
  reader = (text) => shown(new DOMParser().parseFromString(marked.parse(text), "text/html").body);
}

/** What may be shown of an element's inside, as elements of ours; of unknown ones what they hold. */
function shown(element) {
  return [...element.childNodes].map((node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    const tag = node.localName;
    if (node.nodeType !== Node.ELEMENT_NODE || UNREAD.has(tag)) return null;
    return TAGS.has(tag) ? html`<${tag} ...${attributes(node, tag)}>${shown(node)}<//>` : shown(node);
  });
}

function attributes(node, tag) {
  const given = Object.fromEntries(ATTRIBUTES.filter((name) => node.hasAttribute(name)).map((name) => [name, node.getAttribute(name)]));
  if (tag === "pre") return { ...given, tabindex: "0" };
  const href = tag === "a" && node.getAttribute("href");
  return { ...given, ...(tag === "a" && { target: "_blank", rel: "noopener noreferrer" }), ...(href && ADDRESS.test(href) && { href }) };
}

/** Prose with headings, lists, code blocks and tables; plain text until the reader is there. */
export function Markdown({ text }) {
  const [ready, setReady] = useState(reader !== null);
  useEffect(() => {
    if (!reader) load().then(() => setReady(true), () => {});
  }, []);
  if (!ready) return html`<div class="prose plain" dir="auto">${seen(text)}</div>`;
  return html`<div class="prose" dir="auto">${reader(seen(text))}</div>`;
}
