// The library and the policies as files: saved here, and imported after a look at what would change.
import { download, get, post, upload } from "../api.js";
import { Status } from "./pieces.js";
import { Confirm, html, Problem, useRef, useState } from "../ui.js";

export function Exchange() {
  const [found, setFound] = useState(null);
  const [done, setDone] = useState(null);
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState("");
  const attempt = (what, work) => {
    setBusy(what);
    setError(null);
    setDone(null);
    return work().catch(setError).finally(() => setBusy(""));
  };
  const lookAtLibrary = (file) =>
    attempt("library", async () => {
      const kept = await upload(file);
      setFound({ kind: "library", file: kept.name, report: await post("/api/import/library", { file: kept.name }) });
    });
  const lookAtPolicies = (file) =>
    attempt("policies", async () => {
      let given;
      try {
        given = JSON.parse(await file.text()).policies;
      } catch {
        throw { message: `${file.name} is not JSON`, hint: "export policies first to see how it looks" };
      }
      setFound({ kind: "policies", given, report: await post("/api/import/policies", { policies: given }) });
    });
  const bringIn = (why) => {
    const { kind, file, given } = found;
    setFound(null);
    attempt(kind, async () =>
      setDone(
        kind === "library"
          ? { kind, report: await post("/api/import/library", { file, dry_run: false }) }
          : { kind, report: await post("/api/import/policies", { policies: given, dry_run: false, why: why || "imported" }) },
      ),
    );
  };
  return html`<h2>Import and export</h2>
    <div class="pair">
      <div class="card"><h3>Library</h3><p class="hint">All tools as plain files in one zip: code, tests and description. Imported tools are tested in the sandbox before they are used.</p>
        <div class="row"><button onClick=${() => attempt("", () => download("/api/export/library", "hammerstone-library.zip"))}>Save as a file</button>
          <${Pick} accept=".zip,application/zip" busy=${busy === "library"} onFile=${lookAtLibrary} /></div></div>
      <div class="card"><h3>Policies</h3><p class="hint">The numbers above as one JSON file. Each change by an import can be undone.</p>
        <div class="row"><button onClick=${() => attempt("", () => download("/api/export/policies", "hammerstone-policies.json"))}>Save as a file</button>
          <${Pick} accept=".json,application/json" busy=${busy === "policies"} onFile=${lookAtPolicies} /></div></div>
    </div>
    ${error && html`<${Problem} error=${error} />`}
    ${done && html`<div class="card" role="status"><strong>Done.</strong> <${Report} of=${done} /></div>`}
    ${found && html`<${Confirm} title=${`Import ${found.kind === "library" ? "these tools" : "these policies"}?`} yes="Import" reason=${found.kind === "policies" && "Why (kept with each change)"} onYes=${bringIn} onNo=${() => setFound(null)}><${Report} of=${found} /><//>`}
    <p class="hint">To save everything at once, with sessions and traces, run <code>hammerstone db export FILE</code>.</p>`;
}

function Pick({ accept, busy, onFile }) {
  const field = useRef(null);
  const picked = (event) => {
    const file = event.target.files[0];
    event.target.value = "";
    if (file) onFile(file);
  };
  return html`<button disabled=${busy} onClick=${() => field.current.click()}>${busy ? "Looking …" : "Import from a file …"}</button><input ref=${field} type="file" accept=${accept} hidden onChange=${picked} />`;
}

function Report({ of }) {
  if (of.kind === "policies") {
    const names = Object.entries(of.report.changed);
    return names.length
      ? html`<ul>${names.map(([name, values]) => html`<li><strong>${name}</strong>: ${Object.entries(values).map(([key, value]) => `${key.replaceAll("_", " ")} ${value}`).join(", ")}</li>`)}</ul>`
      : html`<p>Nothing would change: all values are the same.</p>`;
  }
  const tools = of.report.tools;
  const counted = Object.entries(tools.reduce((all, one) => ({ ...all, [one.action]: (all[one.action] || 0) + 1 }), {}));
  const shown = tools.filter((one) => one.action !== "unchanged").slice(0, 30);
  return html`<p>${counted.map(([action, count]) => `${count} ${action}`).join(", ")}</p>
    ${shown.length > 0 && html`<ul class="tight">${shown.map((one) => html`<li><code>${one.name}</code> <${Status} of=${one.action} /> <span class="hint">${one.details.join("; ")}</span></li>`)}</ul>`}`;
}
