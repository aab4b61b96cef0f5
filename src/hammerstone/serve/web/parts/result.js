// A result as people would rather see it: a number large, records as a table, series as a plot.
import { plural } from "../format.js";
import { html, useEffect, useRef } from "../ui.js";
import { asText, LongText, seen } from "./plain.js";
import { Table } from "./table.js";

const MOST_LARGE = 80; // characters that are shown large
const MOST_PAIRS = 50;
const WHOLE_SECONDS = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 604800, 2592000];
const WHOLE_NUMBERS = [1, 10, 100, 1000, 10000, 100000].flatMap((one) => [one, 2 * one, 5 * one]);
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
      const colour = (name) => {
        box.current.style.color = `var(${name})`; // a canvas needs the colour itself, of the theme in force
        return getComputedStyle(box.current).color;
      };
      const lines = ["--line-1", "--line-2", "--line-3", "--line-4"].map(colour);
      const axis = { stroke: colour("--soft"), grid: { stroke: colour("--edge") }, ticks: { stroke: colour("--edge") } };
      box.current.style.color = "";
      plot = new uPlot(
        {
          title,
          width: Math.max(260, box.current.clientWidth),
          height,
          scales: { x: { time }, ...(series.every((one) => one.values.every((value) => !value)) ? { y: { range: [0, 1] } } : {}) },
          axes: [{ ...axis, ...(time ? { incrs: WHOLE_SECONDS } : x.every(Number.isInteger) ? { incrs: WHOLE_NUMBERS } : {}) }, axis],
          legend: { live: false },
          series: [{}, ...series.map((one, at) => ({ label: one.label, stroke: lines[at % 4], dash: at < 4 ? [] : [8, 5], width: 2, points: { show: x.length < 40 } }))],
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
