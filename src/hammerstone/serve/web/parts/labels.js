// Decisions whose label would help most: was the tool right that was chosen?
import { get, post } from "../api.js";
import { percent } from "../format.js";
import { Loaded, useLoaded, Wide } from "./pieces.js";
import { html, Problem, useState } from "../ui.js";

export function Labels() {
  const [round, setRound] = useState(0);
  const [error, setError] = useState(null);
  const [said, setSaid] = useState("");
  const labels = useLoaded(() => get("/api/labels"), `labels ${round}`);
  const say = (row, right, tool = "") =>
    post(`/api/labels/${encodeURIComponent(row.decision)}`, { right, tool }).then(
      () => {
        setError(null);
        setSaid(`Noted: ${row.chosen} was ${right ? "right" : "wrong"}${tool ? `, ${tool} is right` : ""}.`);
        setRound(round + 1);
      },
      setError,
    );
  return html`<h2>Was it the right tool?</h2>
    <p class="hint">Your word helps most for these requests. It decides where search may trust itself.</p>
    ${error && html`<${Problem} error=${error} />`}
    ${said && html`<p role="status">${said}</p>`}
    <${Loaded} of=${labels}>${(rows) => rows.length
      ? html`<${Wide} about="Was it the right tool?"><table class="full stacks"><thead><tr><th scope="col">request</th><th scope="col">chosen tool</th><th scope="col">what is known</th><td></td></tr></thead><tbody>
          ${rows.map((row) => html`<${Row} row=${row} say=${say} key=${row.decision} />`)}</tbody></table><//>`
      : html`<p class="soft">No decision is open. <a href="#/chat">Ask for something</a>: what search decides appears here.</p>`}<//>`;
}

function Row({ row, say }) {
  const [other, setOther] = useState("");
  const signs = row.signals.map((one) => `${one.words} (${percent(one.worth)})`).join(", ");
  const known = row.right === null ? "open" : `${row.right ? "right" : "wrong"}, ${percent(row.certainty)} sure`;
  const others = row.candidates.filter((name) => name !== row.chosen);
  return html`<tr>
    <td>${row.request}</td>
    <td>${row.chosen}<br /><span class="soft">${percent(row.probability)} likely to fit</span></td>
    <td>${known}${row.contradicted && html`<br /><strong>contradicts itself</strong>`}<br /><span class="soft">${signs || "nobody said anything yet"}</span></td>
    <td class="act"><div class="row">
      <button aria-label=${`${row.chosen} was right for: ${row.request}`} onClick=${() => say(row, true)}>Right</button>
      <button aria-label=${`${row.chosen} was wrong for: ${row.request}`} onClick=${() => say(row, false, other)}>Wrong</button>
      ${others.length > 0 && html`<label>right is <select value=${other} onChange=${(event) => setOther(event.target.value)}><option value="">not known</option>${others.map((name) => html`<option value=${name}>${name}</option>`)}</select></label>`}
    </div></td>
  </tr>`;
}
