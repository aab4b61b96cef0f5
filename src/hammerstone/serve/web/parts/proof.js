// What is in place and what is missing, and the attacks that the sandbox was put to.
import { get, post } from "../api.js";
import { Status, Wide } from "./pieces.js";
import { html, Problem, useState } from "../ui.js";

export function Doctor() {
  const [found, setFound] = useState(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const look = () => {
    setBusy(true);
    setError(null);
    get("/api/doctor").then(setFound, setError).finally(() => setBusy(false));
  };
  return html`<div class="row"><button disabled=${busy} onClick=${look}>${busy ? "Looking …" : "Look at every part"}</button>
      ${found && html`<span role="status">${found.filter((one) => one.ok).length} of ${found.length} parts in order</span>`}</div>
    ${error && html`<${Problem} error=${error} />`}
    ${found && html`<${Wide} about="Findings"><table class="full">
      <thead><tr><th scope="col">part</th><th scope="col">state</th><th scope="col">what was found, and what to do</th></tr></thead>
      <tbody>${found.map((one) => html`<tr>
        <th scope="row">${one.name}</th><td><${Status} of=${one.ok ? "ok" : one.needed ? "missing" : "optional"} /></td>
        <td>${one.detail}${!one.ok && one.fix ? html`<br /><strong>To do:</strong> <code>${one.fix}</code>` : ""}</td></tr>`)}</tbody>
    </table><//>`}`;
}

export function SandboxProof() {
  const [report, setReport] = useState(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const check = (fast) => {
    setBusy(true);
    setError(null);
    post(`/api/sandbox/check?fast=${fast}`).then(setReport, setError).finally(() => setBusy(false));
  };
  return html`<h2>Sandbox</h2>
    <p class="hint">Code that a model writes runs only in the sandbox. Here you can attack the sandbox yourself. The quick attacks also run at each start; all of them take about a minute.</p>
    <div class="row"><button disabled=${busy} onClick=${() => check(true)}>${busy ? "Attacking …" : "Prove it now"}</button><button disabled=${busy} onClick=${() => check(false)}>Every attack</button></div>
    ${error && html`<${Problem} error=${error} />`}
    ${report && html`<p role="status"><strong class=${report.holds ? "good" : "bad"}>${report.holds ? "It holds" : "It does NOT hold"}:</strong> ${report.contained} of ${report.total} attacks stopped by ${report.backend}.</p>
      ${report.known_gaps.map((gap) => html`<p class="note">Known gap: ${gap}</p>`)}
      <${Wide} about="Attacks"><table class="full"><thead><tr><th scope="col">attack</th><th scope="col">what it tries</th><td></td><th scope="col">what stopped it</th></tr></thead><tbody>
        ${report.probes.map((one) => html`<tr><th scope="row"><code>${one.name}</code></th><td>${one.tries}</td><td><${Status} of=${one.contained ? "contained" : "not contained"} /></td><td class="detail">${one.detail.length > 160 ? html`<details><summary>${one.detail.slice(0, 120)} …</summary>${one.detail}</details>` : one.detail}</td></tr>`)}
      </tbody></table><//>`}`;
}
