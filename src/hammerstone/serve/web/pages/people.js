// Who shares this Hammerstone: let in, sent away, and what they changed.
import { get, post, remove } from "../api.js";
import { Empty, Loaded, Status, useLoaded, when, Wide } from "../parts/pieces.js";
import { Confirm, html, Problem, useState } from "../ui.js";

const ROLES = {
  owner: "may do everything: change policies, import, stop everything, let people in",
  member: "may ask and build tools, and has own sessions, memory, files and traces",
  guest: "may ask with the tools that are there; nothing that a guest asks is kept for others",
};

export default function People() {
  const people = useLoaded(() => get("/api/people"), "people");
  const audit = useLoaded(() => get("/api/people/audit?limit=100"), "audit");
  const again = () => {
    people.again();
    audit.again();
  };
  if (people.error?.status === 403)
    return html`<div class="page"><header><h1>People</h1></header><${Empty}>Only an owner can see this page. Ask an owner if you want to let somebody in.<//></div>`;
  return html`<div class="page">
    <header><h1>People</h1></header>
    <p class="hint">Let others use this Hammerstone. Each gets a token of their own, and their sessions, files and memory are theirs alone.</p>
    <${Add} again=${again} />
    <${Loaded} of=${people}>${(all) => all.length ? html`<${List} all=${all} again=${again} />` : html`<${Empty}>Nobody but you. Write a name above and press “Let in” to share it. As long as nobody is let in, whoever can open this page is the owner.<//>`}<//>
    <h2>What was changed</h2>
    <${Loaded} of=${audit}>${(all) => all.length ? html`<${Changes} all=${all} />` : html`<p class="soft">Nothing yet. Whoever changes a policy, a tool or a person is listed here.</p>`}<//>
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
      <label>For how many days <input type="number" min="1" max="3650" placeholder="no end" style="width:7rem" value=${days} onInput=${(event) => setDays(event.target.value)} /></label>
      <button class="primary" disabled=${!name.trim()}>Let in</button>
    </div>
    <p class="hint">A ${role} ${ROLES[role]}.</p>
    ${error && html`<${Problem} error=${error} />`}
    ${added && html`<div role="status"><p><strong>${added.name}</strong> can now come in as ${added.role}, with this token. Copy it now: it is not shown again.</p>
      <div class="row"><code class="grow" style="overflow-wrap:anywhere">${added.token}</code><button type="button" onClick=${() => navigator.clipboard?.writeText(added.token)}>Copy</button></div></div>`}
  </form>`;
}

function List({ all, again }) {
  const [going, setGoing] = useState(null);
  const [error, setError] = useState(null);
  const revoke = () => remove(`/api/people/${encodeURIComponent(going)}`).then(again, setError).finally(() => setGoing(null));
  return html`
    ${error && html`<${Problem} error=${error} />`}
    <${Wide} about="People"><table class="full stacks">
      <thead><tr><th scope="col">name</th><th scope="col">role</th><th scope="col">token</th><th scope="col">last used</th><th scope="col">ends</th><th scope="col">let in by</th><td></td></tr></thead>
      <tbody>${all.map((one) => html`<tr>
        <th scope="row">${one.name}</th><td>${one.role}</td><td><${Status} of=${one.standing} /></td>
        <td>${when(one.last_used_at)}</td><td>${one.expires_at ? when(one.expires_at) : "never"}</td><td>${one.created_by}</td>
        <td class="act">${one.standing !== "revoked" && one.created_at && html`<button aria-label=${`End the token of ${one.name}`} onClick=${() => setGoing(one.name)}>End the token</button>`}</td>
      </tr>`)}</tbody></table><//>
    ${going && html`<${Confirm} title=${`End the token of ${going}?`} yes="End it" onYes=${revoke} onNo=${() => setGoing(null)}>
      <p>${going} is out at once, also in windows that are open. What ${going} made stays, and is theirs again when you let them in again.</p><//>`}`;
}

function Changes({ all }) {
  return html`<${Wide} about="What was changed"><table class="full stacks">
    <thead><tr><th scope="col">when</th><th scope="col">who</th><th scope="col">did what</th><th scope="col">with what</th><th scope="col">from where</th><td></td></tr></thead>
    <tbody>${all.map((one) => html`<tr><td>${when(one.at)}</td><td>${one.who} <span class="soft">${one.role}</span></td><td>${one.what}</td><td>${one.target}</td><td>${one.place}</td><td>${one.outcome === "refused" && html`<${Status} of="refused" />`}</td></tr>`)}</tbody></table><//>`;
}
