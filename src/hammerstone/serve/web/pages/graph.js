// Which tool follows which, learned from use, and ways from what you have to what you want.
import { get, query } from "../api.js";
import { Drawing } from "../parts/drawing.js";
import { duration, percent, plural } from "../format.js";
import { Empty, Loaded, useLoaded, Wide } from "../parts/pieces.js";
import { html, Problem, useRef, useState } from "../ui.js";

const HAVE = { number: "a number", string: "a text", array: "a list", object: "a record", boolean: "yes or no", "table.csv": "a CSV file", "data.json": "a JSON file" };

export default function Graph({ rest }) {
  const around = rest[0] || "";
  const [possible, setPossible] = useState(false);
  const graph = useLoaded(() => get(`/api/graph?${query({ around, possible, limit: 150 })}`), `${around}/${possible}`);
  return html`<div class="page">
    <header><h1>${around ? `Around ${around}` : "Which tool follows which"}</h1><span class="grow"></span>
      ${around && html`<a href="#/graph">Show all tools</a> <label><input type="checkbox" checked=${possible} onChange=${(event) => setPossible(event.target.checked)} /> also what could follow by its type</label>`}
    </header>
    <${Loaded} of=${graph}>${(it) => it.nodes.length
      ? html`<${Explorer} graph=${it} around=${around} key=${`${around}/${possible}`} />`
      : html`<${Empty}>There are no tools yet. <a href="#/chat">Ask for something</a>, and the first one is built.<//>`}<//>
    <${Paths} />
  </div>`;
}

/** Only what has an arrow, as long as there is one. */
function connected(graph) {
  const joined = new Set(graph.edges.flatMap((edge) => [edge.source, edge.target]));
  return joined.size ? { ...graph, nodes: graph.nodes.filter((node) => joined.has(node.id)) } : graph;
}

function Explorer({ graph, around }) {
  const [alone, setAlone] = useState(false);
  const [chosen, setChosen] = useState(around || null);
  const [edge, setEdge] = useState(null);
  const [typed, setTyped] = useState("");
  const drawing = useRef(null);
  const some = useRef(null);
  some.current ||= connected(graph);
  const shown = alone ? graph : some.current;
  const loose = graph.nodes.length - some.current.nodes.length;
  const pick = (name) => {
    setEdge(null);
    setChosen(name);
    if (name && !shown.nodes.some((node) => node.id === name)) setAlone(true);
  };
  const find = (event) => {
    event.preventDefault();
    const sought = typed.trim().toLowerCase().replaceAll(" ", "_");
    const found = graph.nodes.find((node) => node.id === sought) || graph.nodes.find((node) => node.id.includes(sought));
    if (sought && found) pick(found.id);
  };
  return html`<div class="row filters">
      <form class="row grow" onSubmit=${find}><input class="grow" type="search" list="tools-here" aria-label="Find a tool in the graph" placeholder="Find a tool" value=${typed} onInput=${(event) => setTyped(event.target.value)} />
        <datalist id="tools-here">${graph.nodes.map((node) => html`<option value=${node.id}></option>`)}</datalist><button disabled=${!typed.trim()}>Find</button></form>
      <span class="row"><button aria-label="Larger" onClick=${() => drawing.current?.zoom(1.3)}>+</button><button aria-label="Smaller" onClick=${() => drawing.current?.zoom(1 / 1.3)}>−</button><button onClick=${() => drawing.current?.whole()}>Whole picture</button></span>
    </div>
    <${Drawing} graph=${shown} chosen=${chosen} pickTool=${pick} pickEdge=${(one) => { setChosen(null); setEdge(one); }} hold=${(it) => { drawing.current = it; }} />
    ${chosen && html`<${Chosen} name=${chosen} graph=${graph} around=${around} pick=${pick} />`}
    ${edge && html`<${Edge} edge=${edge} />`}
    ${loose > 0 && html`<label><input type="checkbox" checked=${alone} onChange=${(event) => setAlone(event.target.checked)} /> also the ${plural(loose, "tool")} that were used only alone</label>`}
    <p class="hint">${plural(graph.total_nodes, "tool")}, ${plural(graph.total_edges, "arrow")}${graph.truncated ? "; the most used are shown" : ""}. An arrow means: the result of one tool was used by the next. Choose a tool to see its neighbours, an arrow to see how often.</p>
    <${Edges} edges=${graph.edges} />`;
}

function Chosen({ name, graph, around, pick }) {
  const names = (edges, end) => [...new Set(edges.map((edge) => edge[end]))];
  const before = names(graph.edges.filter((edge) => edge.target === name), "source");
  const after = names(graph.edges.filter((edge) => edge.source === name), "target");
  const list = (all) => (all.length ? all.map((one) => html`<button class="link" onClick=${() => pick(one)}>${one}</button> `) : html`<span class="soft">nothing yet</span>`);
  return html`<div class="card" role="status"><h2>${name}</h2>
    <p>Before it: ${list(before)}</p><p>After it: ${list(after)}</p>
    <div class="row"><a class="button" href=${`#/library/${encodeURIComponent(name)}`}>Open the tool</a>${around !== name && html`<a class="button" href=${`#/graph/${encodeURIComponent(name)}`}>Show only its neighbours</a>`}<button onClick=${() => pick(null)}>Close</button></div></div>`;
}

function flowWords(flow) {
  return `${flow.path.length ? flow.path.join(".") : "the result"} becomes “${flow.parameter}”`;
}

function Edge({ edge }) {
  return html`<div class="card" role="status"><strong>${edge.source} → ${edge.target}</strong> ${edge.count === undefined
    ? `could follow by its type (${edge.why}); nobody has used it so yet`
    : `followed ${edge.count === 1 ? "once" : `${edge.count} times`}, ${percent(edge.success_rate)} went well, ${duration(edge.mean_seconds)} on average${edge.flows.length ? `; ${edge.flows.map(flowWords).join(", ")}` : ""}`}</div>`;
}

function Edges({ edges }) {
  if (!edges.length) return html`<p class="soft">No tool has followed another yet. Ask for something in two steps, such as “find the prime factors of 60, then compute the mean of them”.</p>`;
  return html`<details><summary>All arrows as a table</summary><${Wide} about="Arrows"><table class="full"><thead><tr><th scope="col">first</th><th scope="col">then</th><th scope="col" class="number">times</th><th scope="col" class="number">went well</th></tr></thead><tbody>
    ${edges.map((edge) => html`<tr><td>${edge.source}</td><td>${edge.target}</td><td class="number">${edge.count ?? "–"}</td><td class="number">${percent(edge.success_rate)}</td></tr>`)}
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
  return html`<h2>Which tools lead from what you have to what you want?</h2>
    <form class="row" onSubmit=${find}>
      <label>I have <select value=${have} onChange=${(event) => setHave(event.target.value)}>${Object.entries(HAVE).map(([key, name]) => html`<option value=${key}>${name}</option>`)}</select></label>
      <label class="grow">I want <input class="grow" value=${want} placeholder="for example: the mean of the prime factors" onInput=${(event) => setWant(event.target.value)} /></label>
      <button disabled=${!want.trim()}>Show the way</button>
    </form>
    ${error && html`<${Problem} error=${error} />`}
    ${paths && (paths.length ? paths.map((path) => html`<div class="card"><strong>${path.tools.join(" → ") || "You have it already."}</strong><pre tabindex="0">${path.explanation}</pre></div>`) : html`<p>No tools were found that lead there. Say it in other words, or <a href="#/chat">ask for it</a>: a new tool is built.</p>`)}`;
}
