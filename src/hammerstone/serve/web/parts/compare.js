// Two traces beside each other: what each cost, where they first differ, and every step in pairs.
import { get } from "../api.js";
import { duration, money, number } from "../format.js";
import { Loaded, Status, useLoaded, Wide } from "./pieces.js";
import { html } from "../ui.js";
import { shorten } from "./trace.js";
import { plain, Text } from "./value.js";

const WHAT = { step: "They do different things", input: "The same step was given something else", output: "The same step came to another result", status: "The same step ended differently", length: "One of them goes on where the other ends" };
const DIFFERS = { step: "other step", input: "given something else", output: "other result", status: "ended differently" };

export function Compare({ a, b }) {
  const found = useLoaded(() => get(`/api/traces/${encodeURIComponent(a)}/compare/${encodeURIComponent(b)}`), a + b);
  return html`<div class="page broad"><p><a href="#/traces">All traces</a></p><header><h1>Two traces compared</h1></header>
    <${Loaded} of=${found}>${(it) => html`
      <p role="status">${it.same ? html`<strong class="good">Both took the same steps with the same results.</strong>` : html`<strong>${WHAT[it.what] || "They differ"}</strong>, at step ${it.place}.`}</p>
      <${Costs} of=${it.costs} ids=${[a, b]} />
      ${!it.same && it.what !== "step" && it.what !== "length" && html`<h2>The first difference</h2><div class="pair">${[it.left, it.right].map((one, at) => html`<div class="card"><h3>${at ? "Second" : "First"}</h3><${Text} of=${plain(one)} about=${at ? "Second" : "First"} /></div>`)}</div>`}
      <h2>Step by step</h2>
      ${it.steps.length ? html`<${Pairs} of=${it.steps} />` : html`<p class="soft">Neither called a tool, a model or a search.</p>`}
    `}<//>
  </div>`;
}

function Costs({ of: [first, second], ids }) {
  const rows = [
    ["asked", (one) => html`<a href=${`#/traces/${one.trace_id}`}>${shorten(one.request, 70) || one.trace_id.slice(0, 8)}</a>`],
    ["ended", (one) => html`<${Status} of=${one.status} />`],
    ["time", (one) => duration(one.seconds)],
    ["model calls", (one) => number(one.model_calls)],
    ["tokens", (one) => number(one.tokens)],
    ["price", (one) => money(one.usd)],
    ["calls of tools", (one) => number(one.tool_calls)],
    ["again", (one) => html`<a href=${`#/traces/${one.trace_id}/replay`}>replay without a model</a>`],
  ];
  return html`<${Wide} about="What each cost"><table class="full compare"><thead><tr><td></td><th scope="col">first</th><th scope="col">second</th></tr></thead><tbody>
    ${rows.map(([name, cell]) => html`<tr><th scope="row">${name}</th><td>${cell(first)}</td><td>${cell(second)}</td></tr>`)}</tbody></table><//>`;
}

function Pairs({ of }) {
  const cells = (one) => (one ? html`<td>${shorten(one.title)}<br /><span class="soft">${shorten(one.about, 90)}</span></td><td class="number">${duration(one.seconds)}</td>` : html`<td class="soft">not there</td><td></td>`);
  return html`<${Wide} about="Step by step"><table class="full compare"><thead><tr><th scope="col">first</th><th scope="col" class="number">time</th><th scope="col">second</th><th scope="col" class="number">time</th><th scope="col">difference</th></tr></thead><tbody>
    ${of.map((row) => html`<tr class=${row.differs ? "differs" : ""}>${cells(row.left)}${cells(row.right)}<td>${row.differs ? DIFFERS[row.differs] : html`<span class="soft">none</span>`}</td></tr>`)}</tbody></table><//>`;
}
