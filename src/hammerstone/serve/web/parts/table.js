// Rows as a table, a page at a time: ten thousand rows are as quick as ten.
import { number, plural } from "../format.js";
import { html, useMemo, useState } from "../ui.js";
import { keep } from "../api.js";
import { seen } from "./plain.js";

const PAGE = 50;
const LONGEST_CELL = 500;

const cell = (value) => (value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value));
const short = (text) => seen(text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL)}…` : text);
const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Rows as comma-separated values. A text that a spreadsheet would run as a formula is marked as text. */
export function asCsv(rows, columns) {
  const field = (value) => quoted(typeof value === "string" && /^[=+\-@\t]/.test(value) ? `'${value}` : cell(value));
  return [columns, ...rows.map((row) => columns.map((column) => row[column]))].map((line) => line.map(field).join(",")).join("\n");
}

const ordered = (a, b) => {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a ?? "").localeCompare(String(b ?? ""), "en", { numeric: true });
};

export function Table({ rows }) {
  const columns = useMemo(() => [...new Set(rows.flatMap((row) => Object.keys(row)))], [rows]);
  const [by, setBy] = useState({ column: null, down: false });
  const [page, setPage] = useState(0);
  const sorted = useMemo(() => {
    if (by.column === null) return rows;
    const order = (a, b) => ordered(a[by.column], b[by.column]);
    return [...rows].sort((a, b) => (by.down ? order(b, a) : order(a, b)));
  }, [rows, by]);
  const sortBy = (column) => { setBy({ column, down: by.column === column && !by.down }); setPage(0); };
  const first = page * PAGE;
  const shown = sorted.slice(first, first + PAGE);
  return html`<div class="tabled">
    <div class="wide" tabindex="0" role="region" aria-label=${`Table of ${plural(rows.length, "row")}`}><table class="result">
      <thead><tr>${columns.map((column) => html`<th scope="col" aria-sort=${by.column === column ? (by.down ? "descending" : "ascending") : null}><button class="link" onClick=${() => sortBy(column)}>${column}</button></th>`)}</tr></thead>
      <tbody>${shown.map((row) => html`<tr>${columns.map((column) => html`<td dir="auto" class=${typeof row[column] === "number" ? "number" : ""}>${short(cell(row[column]))}</td>`)}</tr>`)}</tbody>
    </table></div>
    ${rows.length > 5 && html`<p class="row hint pager">
      ${rows.length > PAGE && html`<button disabled=${page === 0} onClick=${() => setPage(page - 1)}>Previous</button>
        <span role="status">Rows ${number(first + 1)} to ${number(first + shown.length)} of ${number(rows.length)}</span>
        <button disabled=${first + PAGE >= rows.length} onClick=${() => setPage(page + 1)}>Next</button>`}
      <button class="quiet" onClick=${() => keep(new Blob([asCsv(sorted, columns)], { type: "text/csv" }), "table.csv")}>Save as CSV</button>
    </p>`}
  </div>`;
}
