// The graph drawn: tools as boxes with their names inside, so that no label covers an arrow.
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../ui.js";
import { arrows, boxed } from "./shapes.js";
import { arrange, fitting, opening, zoomed } from "./layout.js";

const NEAR = 4; // pixels that a finger may slip and still mean the thing it touched
const LASTS_MS = 200;

/** `hold` gets the drawing for the zoom buttons; `chosen` is a tool whose neighbours stand out. */
export function Drawing({ graph, chosen, pickTool, pickEdge, hold }) {
  const svg = useRef(null);
  const plane = useRef(null);
  const view = useRef({ scale: 1, x: 0, y: 0 });
  const [, redraw] = useState(0);
  const boxes = useMemo(() => {
    const made = boxed(graph);
    arrange([...made.values()], graph.edges);
    return made;
  }, [graph]);
  const size = () => ({ wide: svg.current.clientWidth, tall: svg.current.clientHeight });
  const look = (next) => {
    view.current = next;
    plane.current?.setAttribute("transform", `translate(${next.x} ${next.y}) scale(${next.scale})`);
  };
  const near = chosen && boxes.has(chosen) ? new Set([chosen, ...graph.edges.flatMap((edge) => (edge.source === chosen || edge.target === chosen ? [edge.source, edge.target] : []))]) : null;

  useLayoutEffect(() => {
    look(opening([...boxes.values()], size()));
    hold({
      zoom: (by) => look(zoomed(view.current, by, { x: size().wide / 2, y: size().tall / 2 })),
      whole: () => look(fitting([...boxes.values()], size(), 30)),
    });
    return () => hold(null);
  }, [boxes]);
  useEffect(() => (near ? glide(view.current, fitting([...near].map((id) => boxes.get(id)), size(), 80, 1.4), look) : undefined), [boxes, chosen]);
  useEffect(() => hands(svg.current, {
    view,
    look,
    moved: (id, by) => {
      const box = boxes.get(id);
      [box.x, box.y] = [box.x + by.x / view.current.scale, box.y + by.y / view.current.scale];
      redraw((times) => times + 1);
    },
    touched: ({ tool, edge }) => (edge === undefined ? pickTool(tool ?? null) : pickEdge(graph.edges[edge])),
  }));
  const faint = (shown) => (near && !shown ? " faint" : "");
  return html`<div class="graph" role="img" aria-label=${`A picture of ${graph.nodes.length} tools and ${graph.edges.length} arrows. The table below says the same.`}>
    <svg ref=${svg}>
      <defs>${["counted", "possible"].map((kind) => html`<marker id=${`head-${kind}`} class=${kind} viewBox="0 0 10 10" refX="2" refY="5" markerWidth="10" markerHeight="10" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 10 5 0 10z" /></marker>`)}</defs>
      <g ref=${plane}>
        ${arrows(graph.edges, boxes).map(({ edge, at, line }) => {
          const kind = edge.count === undefined ? "possible" : "counted";
          return html`<g class=${`arrow ${kind}${faint(edge.source === chosen || edge.target === chosen)}`} data-edge=${at}><path class="touch" d=${line} /><path d=${line} stroke-width=${1.5 + 3 * (edge.weight ?? edge.affinity ?? 0.2)} marker-end=${`url(#head-${kind})`} /></g>`;
        })}
        ${[...boxes.values()].map((box) => html`<g key=${box.id} class=${`tool${box.loose ? " loose" : ""}${box.id === chosen ? " chosen" : ""}${faint(near?.has(box.id))}`} data-tool=${box.id} transform=${`translate(${box.x} ${box.y})`}>
          <rect x=${-box.wide / 2} y=${-box.tall / 2} width=${box.wide} height=${box.tall} rx="8" />
          <text>${box.lines.map((line, at) => html`<tspan x="0" y=${box.baseline + at * box.step}>${line}</tspan>`)}</text></g>`)}
      </g>
    </svg></div>`;
}

/** From one view to another within a moment; the result stops it. */
function glide(from, to, look) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return look(to);
  const began = performance.now();
  let frame = requestAnimationFrame(function step(now) {
    const part = Math.min(1, Math.max(0, (now - began) / LASTS_MS));
    const between = (name) => from[name] + (to[name] - from[name]) * part;
    look({ scale: between("scale"), x: between("x"), y: between("y") });
    if (part < 1) frame = requestAnimationFrame(step);
  });
  return () => cancelAnimationFrame(frame);
}

/** What mouse, pen and fingers do: move the picture or a tool, make it larger with a wheel or two fingers, touch. */
function hands(svg, { view, look, moved, touched }) {
  const down = (svg.fingers ||= new Map());
  const inside = (event) => {
    const frame = svg.getBoundingClientRect();
    return { x: event.clientX - frame.left, y: event.clientY - frame.top };
  };
  const spread = ([one, other]) => Math.hypot(one.x - other.x, one.y - other.y);
  const press = (event) => {
    if (event.button !== 0) return;
    const on = event.target.closest("[data-tool], [data-edge]")?.dataset ?? {};
    down.set(event.pointerId, { ...inside(event), on, way: 0 });
    svg.setPointerCapture(event.pointerId);
  };
  const move = (event) => {
    const finger = down.get(event.pointerId);
    if (!finger) return;
    const before = spread([...down.values(), finger]);
    const by = { x: inside(event).x - finger.x, y: inside(event).y - finger.y };
    Object.assign(finger, inside(event), { way: finger.way + Math.hypot(by.x, by.y) });
    if (down.size === 2) {
      const [one, other] = down.values();
      const shifted = { ...view.current, x: view.current.x + by.x / 2, y: view.current.y + by.y / 2 };
      look(zoomed(shifted, spread([one, other]) / (before || 1), { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 }));
    } else if (finger.way >= NEAR && finger.on.tool) moved(finger.on.tool, by);
    else if (finger.way >= NEAR) look({ ...view.current, x: view.current.x + by.x, y: view.current.y + by.y });
  };
  const lift = (event) => {
    const finger = down.get(event.pointerId);
    down.delete(event.pointerId);
    if (finger && finger.way < NEAR && event.type === "pointerup") touched(finger.on);
  };
  const wheel = (event) => {
    event.preventDefault();
    const turned = event.deltaMode === 1 ? event.deltaY * 33 : event.deltaY;
    look(zoomed(view.current, 10 ** (turned * -0.0012), inside(event)));
  };
  const heard = { pointerdown: press, pointermove: move, pointerup: lift, pointercancel: lift, wheel };
  for (const [name, does] of Object.entries(heard)) svg.addEventListener(name, does, { passive: false });
  return () => Object.entries(heard).forEach(([name, does]) => svg.removeEventListener(name, does));
}
