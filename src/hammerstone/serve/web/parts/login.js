// The door: a token is asked for.
import { setToken } from "../api.js";
import { html, useState } from "../ui.js";

export function Login({ said }) {
  const [value, setValue] = useState("");
  const enter = (event) => {
    event.preventDefault();
    setToken(value.trim());
    location.reload();
  };
  return html`<form class="card login" onSubmit=${enter}>
    <h1>A token is needed</h1>
    <p>${["token_expired", "token_revoked"].includes(said.code) ? html`<strong role="alert">${said.message}</strong>` : "This Hammerstone is protected. Type the token that its owner gave you. If you are the owner: it is what you set as HAMMERSTONE_TOKEN."}</p>
    <label>Token <input type="password" autocomplete="current-password" value=${value} onInput=${(e) => setValue(e.target.value)} /></label>
    <button class="primary">Open</button>
  </form>`;
}
