// A result as people would rather see it: a number large, records as a table, series as a plot.
import { html, useEffect, useRef, useState } from "../ui.js";

const MOST_ROWS = 200;
const WHOLE_SECONDS = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 604800, 2592000];
const isRecord = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isNumbers = (value) => Array.isArray(value) && value.length >= 8 && value.every((one) => typeof one === "number");
const isTable = (value) => Array.isArray(value) && value.length > 0 && value.every(isRecord);

export function Result({ value, words }) {
  if (isTable(value)) return html`<${Table} rows=${value} />`;
  if (isNumbers(value)) return html`<${Series} values=${value} />`;
  if (isRecord(value) && Object.keys(value).length) return html`<${Pairs} of=${value} />`;
  if (typeof value === "string" && (value.includes("\n") || value.length > 200)) return html`<pre tabindex="0" class="result">${value}</pre>`;
  return html`<p class="result big">${(words || "").split("\n(")[0] || JSON.stringify(value)}</p>`;
}

const cell = (value) => (value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value));

function Table({ rows }) {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const [by, setBy] = useState({ column: null, down: false });
  const sorted = [...rows];
  if (by.column !== null) {
    const order = (a, b) => (a[by.column] > b[by.column] ? 1 : a[by.column] < b[by.column] ? -1 : 0);
    sorted.sort((a, b) => (by.down ? -order(a, b) : order(a, b)));
  }
  const sortBy = (column) => setBy({ column, down: by.column === column && !by.down });
  return html`<div class="wide" tabindex="0" role="region" aria-label="Table"><table class="result">
    <thead><tr>${columns.map((column) => html`<th scope="col" aria-sort=${by.column === column ? (by.down ? "descending" : "ascending") : null}><button class="link" onClick=${() => sortBy(column)}>${column}</button></th>`)}</tr></thead>
    <tbody>${sorted.slice(0, MOST_ROWS).map((row) => html`<tr>${columns.map((column) => html`<td class=${typeof row[column] === "number" ? "number" : ""}>${cell(row[column])}</td>`)}</tr>`)}</tbody>
  </table>${rows.length > MOST_ROWS && html`<p class="hint">${rows.length - MOST_ROWS} more rows</p>`}</div>`;
}

function Pairs({ of }) {
  return html`<table class="result pairs"><tbody>
    ${Object.entries(of).map(([name, value]) => html`<tr><th scope="row">${name}</th><td class=${typeof value === "number" ? "number" : ""}>${isTable(value) ? html`<${Table} rows=${value} />` : cell(value)}</td></tr>`)}
  </tbody></table>`;
}

function Series({ values }) {
  return html`<div>
    <${Plot} title="values" x=${values.map((_, at) => at)} series=${[{ label: "value", values }]} height=${180} />
    <details><summary>${values.length} numbers</summary><pre tabindex="0" class="result">${values.join(", ")}</pre></details>
  </div>`;
}

/** Lines over x; `time` when x is seconds since 1970. */
export function Plot({ title, x, series, height = 220, time = false }) {
  const box = useRef(null);
  useEffect(() => {
    let plot = null;
    let gone = false;
    const draw = async () => {
      if (!document.querySelector("link[data-uplot]")) {
        const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/web/vendor/uplot.css" });
        link.dataset.uplot = "";
        document.head.append(link);
      }
      const { default: uPlot } = await import("../vendor/uplot.mjs");
      if (gone || !box.current) return;
      const style = getComputedStyle(document.documentElement);
      const colour = (name) => style.getPropertyValue(name).trim();
      const lines = ["--line-1", "--line-2", "--line-3", "--line-4"].map(colour);
      const axis = { stroke: colour("--soft"), grid: { stroke: colour("--edge") }, ticks: { stroke: colour("--edge") } };
      plot = new uPlot(
        {
          title,
          width: Math.max(260, box.current.clientWidth),
          height,
          scales: { x: { time } },
          axes: [{ ...axis, ...(time ? { incrs: WHOLE_SECONDS } : {}) }, axis],
          legend: { live: false },
          series: [{}, ...series.map((one, at) => ({ label: one.label, stroke: lines[at % 4], width: 2, points: { show: x.length < 40 } }))],
        },
        [x, ...series.map((one) => one.values)],
        box.current,
      );
    };
    draw();
    return () => {
      gone = true;
      plot?.destroy();
    };
  }, [title, JSON.stringify(x), JSON.stringify(series)]);
  return html`<div class="plot" ref=${box} role="img" aria-label=${title}></div>`;
}
