// Lines over x: a grid with numbers or times beside it, a legend that hides lines, and a part of them larger.
import { html, useLayoutEffect, useMemo, useRef, useState } from "../ui.js";

const DAY_S = 86400;
const WHOLE_SECONDS = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 7200, 21600, 43200, ...[1, 2, 7, 30, 90, 365, 3650].map((days) => days * DAY_S)];
const NEAR = 4; // pixels that a pointer may slip before a part is chosen
const ABOVE = 10, BELOW = 50, RIGHT = 12, LEAST_LEFT = 50;
const FEW = 40; // of so few values each is a point

/** 1, 2 or 5 times a power of ten, so that there are at most `most` of them in the span. */
function roundStep(span, most, whole) {
  const least = span / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((times) => times * power).find((one) => one >= least) ?? 10 * power;
  return whole ? Math.max(1, step) : step;
}

function marks(low, high, step) {
  const found = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9; n += 1) found.push(n * step + 0); // never -0
  return found;
}

/** Round times of this person's clock: whole days begin at midnight. */
function timeMarks(low, high, most) {
  const step = WHOLE_SECONDS.find((one) => (high - low) / one <= most) ?? WHOLE_SECONDS.at(-1);
  const midnight = new Date(low * 1000).setHours(0, 0, 0, 0);
  const found = [];
  for (let n = 0, at = midnight / 1000; at <= high; n += 1) {
    at = step < DAY_S ? midnight / 1000 + n * step : new Date(midnight).setDate(new Date(midnight).getDate() + n * (step / DAY_S)) / 1000;
    if (at >= low && at <= high) found.push(at);
  }
  let day = "";
  return found.map((at) => {
    const date = new Date(at * 1000);
    const now = date.toLocaleDateString("en-GB", { day: "numeric", month: "short", ...(step >= 365 * DAY_S ? { year: "numeric" } : {}) });
    if (step >= DAY_S) return { at, lines: [now] };
    const lines = [date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", ...(step < 60 ? { second: "2-digit" } : {}) }), ...(now === day ? [] : [now])];
    day = now;
    return { at, lines };
  });
}

const numberMarks = (low, high, most, whole) => {
  const step = roundStep(high - low, most, whole);
  const written = new Intl.NumberFormat("en", { maximumFractionDigits: Math.min(20, Math.max(0, Math.ceil(-Math.log10(step)))), ...(Math.max(-low, high) >= 1e9 ? { notation: "compact" } : {}) });
  return marks(low, high, step).map((at) => ({ at, lines: [written.format(at)] }));
};

/** From the least to the greatest value with some room; a line of one value has it in its middle. */
function bounds(values) {
  const [low, high] = values.reduce(([least, most], one) => [Math.min(least, one), Math.max(most, one)], [Infinity, -Infinity]);
  if (!Number.isFinite(low) || (low === 0 && high === 0)) return [0, 1];
  const room = (high - low) * 0.1 || Math.abs(low);
  const [from, to] = [low >= 0 ? Math.max(0, low - room) : low - room, high <= 0 ? Math.min(0, high + room) : high + room];
  const step = roundStep(to - from, 8);
  return [Math.floor(from / step) * step, Math.ceil(to / step) * step];
}

/** The points of a line in pieces without gaps; of many in a column of pixels the lowest and the highest. */
function pieces(x, values, [left, right]) {
  const found = [];
  let open = null;
  x.forEach((at, n) => {
    const value = values[n];
    if (value === null || value === undefined) return (open = null);
    // One beyond either side is drawn too: the line goes on there.
    if ((x[n + 1] ?? at) < left || (x[n - 1] ?? at) > right) return undefined;
    if (!open) found.push((open = []));
    open.push([at, value]);
    return undefined;
  });
  return found;
}

function thinned(points) {
  if (points.length < 4000) return points;
  const columns = new Map();
  for (const point of points) {
    const column = columns.get(Math.round(point[0]));
    if (!column) columns.set(Math.round(point[0]), [point, point]);
    else if (point[1] < column[0][1]) column[0] = point;
    else if (point[1] > column[1][1]) column[1] = point;
  }
  return [...columns.values()].flatMap((ends) => ends.sort((one, other) => one[0] - other[0]));
}

/** Lines over x; `time` when x is seconds since 1970. Dragging shows a part, a double click all of it again. */
export function Plot({ title, x, series, height = 220, time = false }) {
  const box = useRef(null);
  const [wide, setWide] = useState(0);
  const [hidden, setHidden] = useState(() => new Set());
  const [part, setPart] = useState(null);
  const [dragged, setDragged] = useState(null);
  useLayoutEffect(() => {
    const seen = new ResizeObserver(([one]) => setWide(Math.max(260, one.contentRect.width)));
    seen.observe(box.current);
    return () => seen.disconnect();
  }, []);
  const key = JSON.stringify([x, series]);
  const drawn = useMemo(() => wide && picture({ x, series, hidden, part, wide, height, time }), [key, hidden, part, wide, height, time]);
  const toggle = (at) => setHidden((now) => new Set(now.has(at) ? [...now].filter((one) => one !== at) : [...now, at]));
  const across = (event) => Math.min(drawn.right, Math.max(drawn.left, event.clientX - box.current.getBoundingClientRect().left));
  const press = (event) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setDragged([across(event), across(event)]);
  };
  const move = (event) => dragged && setDragged([dragged[0], across(event)]);
  const lift = () => {
    if (dragged && Math.abs(dragged[1] - dragged[0]) > NEAR) setPart(dragged.map(drawn.at).sort((one, other) => one - other));
    setDragged(null);
  };
  return html`<div class="plot" ref=${box}><p class="title">${title}</p>
    ${drawn && html`<svg role="img" aria-label=${title} width=${wide} height=${height} onPointerDown=${press} onPointerMove=${move} onPointerUp=${lift} onPointerCancel=${() => setDragged(null)} onDblClick=${() => setPart(null)}>
      ${drawn.picture}
      ${dragged && html`<rect class="chosen" x=${Math.min(...dragged)} y=${ABOVE} width=${Math.abs(dragged[1] - dragged[0])} height=${height - ABOVE - BELOW} />`}
    </svg>`}
    <p class="legend">${series.map((one, at) => html`<button class="link" aria-pressed=${!hidden.has(at)} onClick=${() => toggle(at)}><i style=${`border-color:${colour(at)}`}></i>${one.label}</button>`)}</p></div>`;
}

const colour = (at) => `var(--line-${(at % 4) + 1})`;

function picture({ x, series, hidden, part, wide, height, time }) {
  const shown = series.map((one, at) => ({ ...one, at })).filter((one) => !hidden.has(one.at));
  const [from, to] = part ?? (x[0] === x.at(-1) ? [x[0] - 1, x[0] + 1] : [x[0], x.at(-1)]);
  const inside = shown.flatMap((one) => one.values.filter((value, n) => value !== null && value !== undefined && x[n] >= from && x[n] <= to));
  const [low, high] = bounds(inside);
  const bottom = height - BELOW;
  const down = numberMarks(low, high, (bottom - ABOVE) / 30);
  const left = Math.max(LEAST_LEFT, ...down.map((one) => one.lines[0].length * 7 + 16));
  const right = wide - RIGHT;
  const along = (at) => left + ((at - from) / (to - from)) * (right - left);
  const up = (value) => bottom - ((value - low) / (high - low)) * (bottom - ABOVE);
  const most = (right - left) / 60;
  const below = time ? timeMarks(from, to, most) : numberMarks(from, to, most, x.every(Number.isInteger));
  const clip = `plot-${left}-${wide}-${height}`;
  const lines = shown.map(({ values, at }) => {
    const runs = pieces(x, values, [from, to]).map((run) => run.map(([when, value]) => [along(when), up(value)]));
    const path = runs.map((run) => `M${thinned(run).map((point) => point.map((one) => one.toFixed(1)).join(" ")).join("L")}`).join("");
    return html`<g style=${`color:${colour(at)}`}><path d=${path} stroke-dasharray=${at < 4 ? null : "8 5"} />
      ${x.length < FEW && runs.flat().map(([cx, cy]) => html`<circle cx=${cx} cy=${cy} r="3" />`)}</g>`;
  });
  return {
    left,
    right,
    at: (pixel) => from + ((pixel - left) / (right - left)) * (to - from),
    picture: html`<clipPath id=${clip}><rect x=${left - 4} y=${ABOVE - 4} width=${right - left + 8} height=${bottom - ABOVE + 8} /></clipPath>
      <g class="grid">${down.map(({ at }) => html`<path d=${`M${left - 10} ${up(at)}H${right}`} />`)}${below.map(({ at }) => html`<path d=${`M${along(at)} ${ABOVE}V${bottom + 10}`} />`)}</g>
      <g text-anchor="end">${down.map(({ at, lines: [text] }) => html`<text x=${left - 15} y=${up(at) + 4}>${text}</text>`)}</g>
      <g text-anchor="middle">${below.map(({ at, lines: texts }) => texts.map((text, n) => html`<text x=${along(at)} y=${bottom + 25 + 15 * n}>${text}</text>`))}</g>
      <g class="lines" clip-path=${`url(#${clip})`}>${lines}</g>`,
  };
}
