// A round of learning: what it would do, or has done, in sentences.
import { post } from "../api.js";
import { plural } from "../format.js";
import { Status, Wide } from "./pieces.js";
import { html, Problem, useState } from "../ui.js";

const LINES = {
  composites: ["Steps that often follow each other, joined into one tool", (one) => (one.steps || []).join(" → ")],
  stepped_back: ["Joined tools that are taken apart, because a part has changed", (one) => one.tool || (one.steps || []).join(" → ")],
  probation: ["Changes on trial", (one) => one.target],
  repairs: ["Tools that failed", (one) => one.tool],
};

export function Round({ again }) {
  const [report, setReport] = useState(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const run = (dry) => {
    setBusy(true);
    setError(null);
    post("/api/learn", { dry_run: dry })
      .then((result) => {
        setReport(result);
        again();
      }, setError)
      .finally(() => setBusy(false));
  };
  return html`<p class="row"><button disabled=${busy} onClick=${() => run(true)}>${busy ? "Looking …" : "What would change?"}</button><button disabled=${busy} onClick=${() => run(false)}>Learn now</button><span class="hint">Learning also happens by itself: see below.</span></p>
    ${error && html`<${Problem} error=${error} />`}
    ${report && html`<${Report} of=${report} />`}`;
}

function Report({ of }) {
  const rows = Object.entries(LINES).flatMap(([key, [about, name]]) => (of[key] || []).map((one) => ({ about, name: name(one), one })));
  const idle = of.does_not_pay || [];
  return html`<div class="card" role="status"><h3>${of.dry_run ? "What a round of learning would do now" : "What was done"}</h3>
    <p>${plural(of.mined?.runs || 0, "new request was", "new requests were")} read, with ${plural(of.mined?.executions || 0, "call of a tool", "calls of tools")}.</p>
    ${rows.length > 0 && html`<${Wide} about="Changes"><table class="full"><thead><tr><th scope="col">what</th><th scope="col">about</th><th scope="col">outcome</th><th scope="col">why</th></tr></thead><tbody>
      ${rows.map(({ about, name, one }) => html`<tr><td>${about}</td><td>${name}</td><td><${Status} of=${one.outcome} /></td><td>${one.reason || ""}</td></tr>`)}</tbody></table><//>`}
    ${idle.length > 0 && html`<p>${of.dry_run ? "Would be retired" : "Retired"}, because nobody uses it: ${idle.join("; ")}.</p>`}
    ${rows.length + idle.length === 0 && html`<p>${of.dry_run ? "Nothing would change." : "Nothing changed."} Use it for a while: changes come from what is asked again and from what fails.</p>`}
  </div>`;
}
