// A result as people would rather see it: a number large, records as a table, series as a plot.
import { plural } from "../format.js";
import { html } from "../ui.js";
import { asText, LongText, seen } from "./plain.js";
import { Plot } from "./plot.js";
import { Table } from "./table.js";

const MOST_LARGE = 80; // characters that are shown large
const MOST_PAIRS = 50;
const isRecord = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isNumbers = (value) => Array.isArray(value) && value.length >= 8 && value.every((one) => typeof one === "number");
const isTable = (value) => Array.isArray(value) && value.length > 0 && value.every(isRecord);

/** `words` is how the server writes the value; a short one is shown large, a long one as text. */
export function Result({ value, words }) {
  if (isTable(value)) return html`<${Table} rows=${value} />`;
  if (isNumbers(value)) return html`<${Series} values=${value} />`;
  if (isRecord(value) && Object.keys(value).length) return html`<${Pairs} of=${value} />`;
  const text = typeof value === "string" ? value : words || asText(value);
  if (text === "") return html`<p class="result soft">an empty text</p>`;
  if (text.includes("\n") || text.length > MOST_LARGE) return html`<${LongText} text=${text} />`;
  return html`<p class="result big" dir="auto">${seen(text)}</p>`;
}

function Pairs({ of }) {
  const pairs = Object.entries(of);
  if (pairs.length > MOST_PAIRS) return html`<${Table} rows=${pairs.map(([name, value]) => ({ name, value }))} />`;
  return html`<table class="result pairs"><tbody>
    ${pairs.map(([name, value]) => html`<tr><th scope="row" dir="auto">${seen(name)}</th><td dir="auto" class=${typeof value === "number" ? "number" : ""}><${Part} value=${value} /></td></tr>`)}
  </tbody></table>`;
}

function Part({ value }) {
  if (isTable(value)) return html`<${Table} rows=${value} />`;
  if (value === null || value === undefined) return "";
  const text = asText(value);
  return text.length > 2000 ? html`<${LongText} text=${text} />` : seen(typeof value === "object" ? JSON.stringify(value) : String(value));
}

function Series({ values }) {
  return html`<div>
    <${Plot} title="values" x=${values.map((_, at) => at)} series=${[{ label: "value", values }]} height=${180} />
    <details open=${values.length <= 30}><summary>${plural(values.length, "number")}</summary><${LongText} text=${values.join(", ")} /></details>
  </div>`;
}
