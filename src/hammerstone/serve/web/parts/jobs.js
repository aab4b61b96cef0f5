// What runs between requests: when it ran, when it runs again, what it costs and saves.
import { get } from "../api.js";
import { duration } from "../format.js";
import { Loaded, Status, useLoaded, when, Wide } from "./pieces.js";
import { html } from "../ui.js";

export function Jobs({ round }) {
  const jobs = useLoaded(() => get("/api/jobs"), `jobs ${round}`);
  return html`<h2>What runs by itself</h2>
    <p class="hint">A job that costs more than it saves comes less often. It does not run when nothing is new.</p>
    <${Loaded} of=${jobs}>${(rows) => html`<${Wide} about="What runs by itself"><table class="full stacks"><thead><tr><th scope="col">job</th><th scope="col">last time</th><th scope="col">next time</th><th scope="col" class="number">cost</th><th scope="col" class="number">saved</th><th scope="col">how often</th></tr></thead><tbody>
      ${rows.map((row) => html`<tr>
        <td>${row.name}<br /><span class="soft">${row.about}</span></td>
        <td>${row.last_at ? when(row.last_at) : "not yet"}${row.last_state === "failed" && html`<br /><${Status} of="failed" /> <span class="soft">${row.last_reason}</span>`}</td>
        <td>${row.next_at ? when(row.next_at) : "not by itself"}<br /><span class="soft">${row.news || "nothing new"}</span></td>
        <td class="number">${row.last_at ? duration(row.cost_s) : "–"}${row.tokens > 0 && html`<br /><span class="soft">${row.tokens} tokens</span>`}</td>
        <td class="number">${row.last_at ? duration(row.saved_s) : "–"}</td>
        <td>${row.pace_words}</td>
      </tr>`)}</tbody></table><//>`}<//>`;
}
