// Evidence in sentences and small tables: of a change, and of a tool.
import { duration, number, percent, plural } from "../format.js";
import { Wide } from "./pieces.js";
import { html } from "../ui.js";
import { plain, Text, visible } from "./value.js";

const MOST = 40; // rows of a table
const WORDS = {
  confidence: (n) => n !== null && `The chance that it is right is ${percent(n)}.`,
  uses: (n) => `It was used ${n === 1 ? "once" : `${number(n)} times`}.`,
  successes: (n) => `It went well ${n === 1 ? "once" : `${number(n)} times`}.`,
  own_failures: (n) => n > 0 && `It failed by itself ${n === 1 ? "once" : `${number(n)} times`}.`,
  wrong: (n) => n > 0 && `People said ${n === 1 ? "once" : `${number(n)} times`} that its result was wrong.`,
  sessions: (n) => `That was in ${plural(n, "session")}.`,
  replayed: (n, it) => `${plural(n, "earlier call was", "earlier calls were")} made again with it; ${number(it.right)} came out as before.`,
};
const QUIET = ["unmet", "promised_without_result", "mutation_score", "authored_mutation_score", "unadjusted_confidence", "right", "different", "reason", "features", "calibration", "veto"];
const ORIGIN = { user: "you", prose: "your request" };

/** What the numbers say, one sentence each; those that nobody has put into words stay as they are. */
function Numbers({ of }) {
  const said = Object.entries(of).map(([key, value]) => typeof value === "number" && WORDS[key]?.(value, of)).filter(Boolean);
  const rest = Object.entries(of).filter(([key, value]) => !WORDS[key] && !QUIET.includes(key) && value !== null && (typeof value !== "object" || Object.keys(value).length) && value !== "");
  return html`${said.length > 0 && html`<ul class="said">${said.map((line) => html`<li>${line}</li>`)}</ul>`}
    ${rest.length > 0 && html`<details><summary>More numbers</summary><${Text} of=${plain(Object.fromEntries(rest.map(([key, value]) => [key.replaceAll("_", " "), value])))} about="More numbers" /></details>`}`;
}

const score = (value) => (value >= 1 ? html`<span class="good">right</span>` : value <= 0 ? html`<span class="bad">wrong</span>` : percent(value));

function Pairs({ title, about, of }) {
  if (!of?.length) return null;
  return html`<h4>${title}</h4><p class="hint">${about}</p><${Wide} about=${title}><table class="full"><thead><tr><th scope="col">call</th><th scope="col">before</th><th scope="col">after</th></tr></thead><tbody>
    ${of.slice(0, MOST).map(([call, before, after]) => html`<tr><td><code>${visible(call)}</code></td><td>${score(before)}</td><td>${score(after)}</td></tr>`)}</tbody></table><//>
    ${of.length > MOST && html`<p class="hint">${plural(of.length - MOST, "more row")}</p>`}`;
}

/** Why a change was made or is suggested. */
export function ChangeEvidence({ evidence, decision }) {
  const it = evidence || {};
  const numbers = decision?.numbers || {};
  const said = [
    decision?.reason && `The reason: ${decision.reason}.`,
    decision?.by && `Decided by ${decision.by}.`,
    it.confidence != null && `The chance that it is right is ${percent(it.confidence)}.`,
    it.equivalent && "It gives the same results with less work.",
    it.saved_calls > 0 && `It saves ${plural(it.saved_calls, "call")} each time it is used.`,
    it.saved_s > 0 && `It saves ${duration(it.saved_s)} each time it is used.`,
    it.sources > 1 && `It was seen ${number(it.sources)} times.`,
    numbers.wins + numbers.losses > 0 && `On cases that were not used to find it, it was better ${number(numbers.wins)} times, worse ${number(numbers.losses)} times and equal ${number(numbers.ties)} times.`,
    it.rule && `The rule: ${it.rule}.`,
  ].filter(Boolean);
  return html`<ul class="said">${said.map((line) => html`<li>${line.replace(/\.\.$/, ".")}</li>`)}
      ${(it.against || []).map((one) => html`<li>Against it: ${one}</li>`)}</ul>
    ${it.grounds && Object.keys(it.grounds).length > 0 && html`<${Numbers} of=${it.grounds} />`}
    <${Pairs} title="The problem" about="Calls that led to this change." of=${it.search} />
    <${Pairs} title="Tried on other cases" about="These were not used to find the change, so they say whether it helps." of=${it.held_out} />
    <${Pairs} title="What was right before" about="None of these may become wrong." of=${it.passes} />
    ${it.changed?.length > 0 && html`<h4>Earlier results that become different</h4><${Text} of=${plain(it.changed)} about="Earlier results that become different" />`}`;
}

/** Why a tool is believed, or not. */
export function ToolEvidence({ evidence, words }) {
  const { cases, unnoticed, behaviours, steps, reason, inputs, truth, promised, mutants, ...rest } = evidence;
  if (!Object.keys(evidence).length) return html`<p class="soft">Nothing was recorded. The tool came with Hammerstone or was added by hand; its tests are under “Tests”.</p>`;
  return html`<ul class="said">${words.map((line) => html`<li>${line}</li>`)}</ul>
    <${Numbers} of=${rest} />
    ${behaviours?.length > 1 && html`<h3>The programs did not all agree</h3><p class="hint">Programs that gave the same results everywhere count as one group.</p><${Groups} of=${behaviours} />`}
    ${unnoticed?.length > 0 && html`<h3>Mistakes that no test noticed</h3><ul>${unnoticed.map((one) => html`<li>${typeof one === "string" ? one : plain(one)}</li>`)}</ul>`}
    ${cases?.length > 0 && html`<details><summary>${plural(cases.length, "test")} that spoke for or against it</summary><${Wide} about="Tests"><table class="full"><thead><tr><th scope="col">call</th><th scope="col">expected</th><th scope="col">by</th><th scope="col">believed</th><th scope="col">kept</th></tr></thead><tbody>
      ${cases.slice(0, 100).map((one) => html`<tr><td><code>${visible(one.call)}</code></td><td><code>${visible(one.expected)}</code></td><td>${byWhom(one.origin)}</td><td>${percent(one.support)}</td><td>${one.kept ? "yes" : "no"}</td></tr>`)}</tbody></table><//></details>`}`;
}

function Groups({ of }) {
  return html`<div class="groups">${of.map((one, at) => html`<div><span>${at === 0 ? "the chosen one" : `group ${at + 1}`}</span><span class="track"><i style=${`width:${Math.max(1, one.share * 100)}%`}></i></span><span>${percent(one.share)} of the programs, ${percent(one.belief)} likely right</span></div>`)}</div>`;
}

/** Who wrote a test, in words. */
export const byWhom = (origin) => (/^run [0-9a-f]+$/.test(origin) ? "an earlier request" : /^author \d+$/.test(origin) ? `test ${origin}` : ORIGIN[origin] || origin);
