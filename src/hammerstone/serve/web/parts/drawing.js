// The graph drawn: tools as boxes with their names inside, so that no label covers an arrow.
import { html, useEffect, useRef } from "../ui.js";
import { arrange, show } from "./layout.js";

function looks(colour) {
  return [
    { selector: "node", style: { shape: "round-rectangle", width: "label", height: "label", padding: 9, "background-color": colour("--wash"), "border-width": 1.5, "border-color": colour("--accent"), label: "data(label)", color: colour("--ink"), "font-size": 14, "font-family": "system-ui, sans-serif", "text-valign": "center", "text-halign": "center", "text-wrap": "wrap", "text-max-width": 170 } },
    { selector: "node.loose", style: { "border-color": colour("--edge"), "background-color": colour("--card") } },
    { selector: "edge", style: { width: "data(width)", "line-color": colour("--line-2"), "target-arrow-color": colour("--line-2"), "target-arrow-shape": "triangle", "arrow-scale": 1.2, "curve-style": "bezier", "target-distance-from-node": 3, opacity: 0.85 } },
    { selector: "edge[dashed = 1]", style: { "line-style": "dashed", "line-color": colour("--soft"), "target-arrow-color": colour("--soft") } },
    { selector: ".faint", style: { opacity: 0.18 } },
    { selector: "node.chosen", style: { "background-color": colour("--accent"), color: colour("--accent-ink"), "border-width": 3 } },
  ];
}

/** `hold` gets the drawing for the zoom buttons; `chosen` is a tool whose neighbours stand out. */
export function Drawing({ graph, chosen, pickTool, pickEdge, hold }) {
  const box = useRef(null);
  const drawn = useRef(null);
  useEffect(() => {
    let gone = false;
    import("../vendor/cytoscape.mjs").then(({ default: cytoscape }) => {
      if (gone || !box.current) return;
      const style = getComputedStyle(document.documentElement);
      const colour = (name) => style.getPropertyValue(name).trim();
      const joined = new Set(graph.edges.flatMap((edge) => [edge.source, edge.target]));
      const it = cytoscape({
        container: box.current,
        elements: graph.nodes.map((node) => ({ data: { id: node.id, label: node.id.replaceAll("_", " ") }, classes: joined.has(node.id) ? "" : "loose" })),
        style: looks(colour),
        layout: { name: "preset" },
        minZoom: 0.15,
        maxZoom: 2.5,
        wheelSensitivity: 0.3,
      });
      arrange(it, graph.edges);
      // Arrows come when the tools have their places: one between two tools in the same place is never drawn.
      it.add(graph.edges.map((edge, at) => ({ data: { id: `e${at}`, source: edge.source, target: edge.target, width: 1.5 + 3 * (edge.weight ?? edge.affinity ?? 0.2), edge, dashed: edge.count === undefined ? 1 : 0 } })));
      show(it);
      it.on("tap", "node", (event) => pickTool(event.target.id()));
      it.on("tap", "edge", (event) => pickEdge(event.target.data("edge")));
      it.on("tap", (event) => event.target === it && pickTool(null));
      drawn.current = it;
      hold(it);
      mark(it, chosen);
    });
    return () => {
      gone = true;
      drawn.current?.destroy();
      drawn.current = null;
    };
  }, [graph]);
  useEffect(() => drawn.current && mark(drawn.current, chosen), [chosen]);
  return html`<div class="graph" ref=${box} role="img" aria-label=${`A picture of ${graph.nodes.length} tools and ${graph.edges.length} arrows. The table below says the same.`}></div>`;
}

/** The chosen tool and its neighbours stand out; the rest becomes faint. */
function mark(drawn, chosen) {
  drawn.elements().removeClass("faint chosen");
  const node = chosen ? drawn.getElementById(chosen) : drawn.collection();
  if (!node.length) return;
  const near = node.closedNeighborhood();
  drawn.elements().difference(near).addClass("faint");
  node.addClass("chosen");
  drawn.animate({ fit: { eles: near, padding: 80 } }, { duration: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 200, complete: () => drawn.zoom() > 1.4 && drawn.zoom({ level: 1.4, renderedPosition: { x: drawn.width() / 2, y: drawn.height() / 2 } }) });
}
