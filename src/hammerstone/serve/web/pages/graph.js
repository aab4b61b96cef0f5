// The skill graph: what follows what, learned from use, and ways from here to there.
import { get, query } from "../api.js";
import { duration, Empty, html, Loaded, percent, Problem, useEffect, useLoaded, useRef, useState, Wide } from "../ui.js";

export default function Graph({ rest }) {
  const around = rest[0] || "";
  const [possible, setPossible] = useState(false);
  const graph = useLoaded(() => get(`/api/graph?${query({ around, possible, limit: 150 })}`), `${around}/${possible}`);
  const [picked, setPicked] = useState(null);
  const [alone, setAlone] = useState(false);
  return html`<div class="page">
    <header><h1>Skill graph</h1><span class="grow"></span>
      ${around && html`<a href="#/graph">whole graph</a> <label><input type="checkbox" checked=${possible} onChange=${(event) => setPossible(event.target.checked)} /> also what types alone allow</label>`}
    </header>
    <${Loaded} of=${graph}>${(it) => it.nodes.length
      ? html`<${Picture} graph=${alone ? it : connected(it)} pick=${setPicked} key=${alone} />
          ${picked && html`<${Edge} edge=${picked} />`}
          ${connected(it).nodes.length < it.nodes.length && html`<label><input type="checkbox" checked=${alone} onChange=${(event) => setAlone(event.target.checked)} /> also the ${it.nodes.length - connected(it).nodes.length} tools that nothing has followed yet</label>`}
          <p class="hint">${it.total_nodes} tools, ${it.total_edges} learned edges${it.truncated ? "; the most used are shown" : ""}. Choose a tool for its neighbourhood, an edge for its numbers.</p>
          <${Edges} edges=${it.edges} />`
      : html`<${Empty}>There are no tools yet, so there is nothing to connect.<//>`}<//>
    <${Paths} />
  </div>`;
}

/** Only what has an edge, as long as there is one: a crowd of loose ends says nothing. */
function connected(graph) {
  const joined = new Set(graph.edges.flatMap((edge) => [edge.source, edge.target]));
  return joined.size ? { ...graph, nodes: graph.nodes.filter((node) => joined.has(node.id)) } : graph;
}

function Picture({ graph, pick }) {
  const box = useRef(null);
  useEffect(() => {
    let drawn = null;
    let gone = false;
    import("../vendor/cytoscape.mjs").then(({ default: cytoscape }) => {
      if (gone || !box.current) return;
      const style = getComputedStyle(document.documentElement);
      const colour = (name) => style.getPropertyValue(name).trim();
      const weight = (edge) => edge.weight ?? edge.affinity ?? 0.2;
      drawn = cytoscape({
        container: box.current,
        elements: [
          ...graph.nodes.map((node) => ({ data: { id: node.id, label: node.id.replaceAll("_", " ") } })),
          ...graph.edges.map((edge, at) => ({ data: { id: `e${at}`, source: edge.source, target: edge.target, width: 1 + 4 * weight(edge), edge, dashed: edge.count === undefined ? 1 : 0 } })),
        ],
        style: [
          { selector: "node", style: { "background-color": colour("--accent"), label: "data(label)", color: colour("--ink"), "font-size": 13, "text-valign": "bottom", "text-margin-y": 4, width: 18, height: 18, "text-wrap": "wrap", "text-max-width": 110, "text-outline-color": colour("--card"), "text-outline-width": 2 } },
          { selector: "edge", style: { width: "data(width)", "line-color": colour("--line-2"), "target-arrow-color": colour("--line-2"), "target-arrow-shape": "triangle", "curve-style": "bezier", opacity: 0.8 } },
          { selector: "edge[dashed = 1]", style: { "line-style": "dashed", "line-color": colour("--soft"), "target-arrow-color": colour("--soft") } },
        ],
        layout: { name: graph.edges.length ? "cose" : "grid", animate: false, padding: 40, nodeRepulsion: 60000, idealEdgeLength: 110, componentSpacing: 80, nodeDimensionsIncludeLabels: true, avoidOverlap: true, randomize: false },
        maxZoom: 1.6,
        wheelSensitivity: 0.3,
      });
      drawn.on("tap", "node", (event) => {
        location.hash = `#/graph/${encodeURIComponent(event.target.id())}`;
      });
      drawn.on("tap", "edge", (event) => pick(event.target.data("edge")));
    });
    return () => {
      gone = true;
      drawn?.destroy();
    };
  }, [graph]);
  return html`<div class="graph" ref=${box} role="img" aria-label=${`${graph.nodes.length} tools and ${graph.edges.length} edges; the table below says the same`}></div>`;
}

function Edge({ edge }) {
  return html`<div class="card" role="status"><strong>${edge.source} → ${edge.target}</strong> ${edge.count === undefined ? `fits by type (${edge.why}); not seen in use yet` : `seen ${edge.count} times, ${percent(edge.success_rate)} successful, ${duration(edge.mean_seconds)} on average${edge.flows.length ? `; ${edge.flows.map((flow) => `${flow.path.length ? flow.path.join(".") : "the result"} becomes ${flow.parameter}`).join(", ")}` : ""}`}</div>`;
}

function Edges({ edges }) {
  if (!edges.length) return html`<p class="soft">No tool has followed another yet. Edges appear as requests use several tools in a row.</p>`;
  return html`<details><summary>All edges as a table</summary><${Wide} about="Edges"><table class="full"><thead><tr><th>from</th><th>to</th><th class="number">seen</th><th class="number">success</th><th class="number">weight</th></tr></thead><tbody>
    ${edges.map((edge) => html`<tr><td>${edge.source}</td><td>${edge.target}</td><td class="number">${edge.count ?? "–"}</td><td class="number">${percent(edge.success_rate)}</td><td class="number">${(edge.weight ?? edge.affinity ?? 0).toFixed(2)}</td></tr>`)}
  </tbody></table><//></details>`;
}

function Paths() {
  const [have, setHave] = useState("number");
  const [want, setWant] = useState("");
  const [paths, setPaths] = useState(null);
  const [error, setError] = useState(null);
  const find = (event) => {
    event.preventDefault();
    setError(null);
    get(`/api/graph/paths?${query({ have, want })}`).then(setPaths, (problem) => {
      setPaths(null);
      setError(problem);
    });
  };
  return html`<h2>A way from here to there</h2>
    <form class="row" onSubmit=${find}>
      <label>I have <select value=${have} onChange=${(event) => setHave(event.target.value)}>${["number", "string", "array", "object", "boolean", "table.csv", "data.json"].map((one) => html`<option>${one}</option>`)}</select></label>
      <label class="grow">I want <input class="grow" value=${want} placeholder="a tool, or what should come out" onInput=${(event) => setWant(event.target.value)} /></label>
      <button disabled=${!want.trim()}>Find</button>
    </form>
    ${error && html`<${Problem} error=${error} />`}
    ${paths && (paths.length ? paths.map((path) => html`<div class="card"><strong>${path.tools.join(" → ") || "already there"}</strong> <span class="soft">score ${path.score}</span><pre tabindex="0">${path.explanation}</pre></div>`) : html`<p>No way was found.</p>`)}`;
}
