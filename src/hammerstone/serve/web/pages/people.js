// Who shares this Hammerstone: let in, sent away, and what they changed.
import { get, post, remove } from "../api.js";
import { Confirm, Empty, html, Loaded, Problem, Status, useLoaded, useState, when, Wide } from "../ui.js";

const ROLES = {
  owner: "governs: policies, imports, stopping everything, people",
  member: "asks and builds; owns sessions, memory, files and traces",
  guest: "asks with the tools there are; nothing of it is kept for others",
};

export default function People() {
  const people = useLoaded(() => get("/api/people"), "people");
  const audit = useLoaded(() => get("/api/people/audit?limit=100"), "audit");
  const again = () => {
    people.again();
    audit.again();
  };
  if (people.error?.status === 403)
    return html`<div class="page"><header><h1>People</h1></header><${Empty}>Only an owner sees who shares this Hammerstone.<//></div>`;
  return html`<div class="page">
    <header><h1>People</h1></header>
    <${Add} again=${again} />
    <${Loaded} of=${people}>${(all) => all.length ? html`<${List} all=${all} again=${again} />` : html`<${Empty}>Nobody but you. Without a token, whoever sits at this machine is the owner.<//>`}<//>
    <h2>What was changed</h2>
    <${Loaded} of=${audit}>${(all) => all.length ? html`<${Changes} all=${all} />` : html`<p class="soft">Nothing yet.</p>`}<//>
  </div>`;
}

function Add({ again }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState("member");
  const [days, setDays] = useState("");
  const [added, setAdded] = useState(null);
  const [error, setError] = useState(null);
  const add = (event) => {
    event.preventDefault();
    setError(null);
    setAdded(null);
    post("/api/people", { name: name.trim(), role, days: days ? Number(days) : null }).then((done) => {
      setAdded(done);
      setName("");
      again();
    }, setError);
  };
  return html`<form class="card" onSubmit=${add}>
    <div class="row">
      <label class="grow">Name <input class="grow" value=${name} maxlength="64" autocomplete="off" onInput=${(event) => setName(event.target.value)} /></label>
      <label>Role <select value=${role} onChange=${(event) => setRole(event.target.value)}>${Object.keys(ROLES).map((one) => html`<option value=${one}>${one}</option>`)}</select></label>
      <label>Days <input type="number" min="1" max="3650" placeholder="for good" style="width:7rem" value=${days} onInput=${(event) => setDays(event.target.value)} /></label>
      <button class="primary" disabled=${!name.trim()}>Let in</button>
    </div>
    <p class="hint">A ${role} ${ROLES[role]}.</p>
    ${error && html`<${Problem} error=${error} />`}
    ${added && html`<div role="status"><p><strong>${added.name}</strong> is in as ${added.role}. The token is shown this once:</p>
      <div class="row"><code class="grow" style="overflow-wrap:anywhere">${added.token}</code><button type="button" onClick=${() => navigator.clipboard?.writeText(added.token)}>Copy</button></div></div>`}
  </form>`;
}

function List({ all, again }) {
  const [going, setGoing] = useState(null);
  const [error, setError] = useState(null);
  const revoke = () => remove(`/api/people/${encodeURIComponent(going)}`).then(again, setError).finally(() => setGoing(null));
  return html`
    ${error && html`<${Problem} error=${error} />`}
    <${Wide} about="People"><table class="full">
      <thead><tr><th>name</th><th>role</th><th>token</th><th>last use</th><th>expires</th><th>let in by</th><td></td></tr></thead>
      <tbody>${all.map((one) => html`<tr>
        <th scope="row">${one.name}</th><td>${one.role}</td><td><${Status} of=${one.standing} /></td>
        <td>${when(one.last_used_at)}</td><td>${one.expires_at ? when(one.expires_at) : "never"}</td><td>${one.created_by}</td>
        <td class="act">${one.standing !== "revoked" && one.created_at && html`<button onClick=${() => setGoing(one.name)}>Revoke</button>`}</td>
      </tr>`)}</tbody></table><//>
    ${going && html`<${Confirm} title=${`Revoke the token of ${going}?`} yes="Revoke" onYes=${revoke} onNo=${() => setGoing(null)}>
      <p>It ends at once, also what is open with it. What ${going} made stays, and is theirs again if they are let in again.</p><//>`}`;
}

function Changes({ all }) {
  return html`<${Wide} about="What was changed"><table class="full">
    <thead><tr><th>when</th><th>who</th><th>what</th><th>of what</th><th>from</th><th></th></tr></thead>
    <tbody>${all.map((one) => html`<tr><td>${when(one.at)}</td><td>${one.who} <span class="soft">${one.role}</span></td><td>${one.what}</td><td>${one.target}</td><td>${one.place}</td><td>${one.outcome === "refused" && html`<${Status} of="refused" />`}</td></tr>`)}</tbody></table><//>`;
}
