// The frame: navigation on one side, one page beside it, chosen by the address.
import { get, onUnauthorized, setToken } from "./api.js";
import { live } from "./live.js";
import { html, render, useEffect, useState } from "./ui.js";

const PAGES = [
  { name: "chat", title: "Chat", key: "1", icon: "M4 5h16v11H9l-5 4z" },
  { name: "library", title: "Library", key: "2", icon: "M5 4h4v16H5zM11 4h4v16h-4zM17 5l3 14" },
  { name: "graph", title: "Graph", key: "3", icon: "M6 6l6 6 6-6M12 12v7" },
  { name: "traces", title: "Traces", key: "4", icon: "M4 6h10M8 12h12M6 18h8" },
  { name: "learning", title: "Learning", key: "5", icon: "M4 18l5-6 4 3 7-9" },
  { name: "memory", title: "Memory", key: "6", icon: "M6 4h12v16l-6-4-6 4z" },
  { name: "settings", title: "Settings", key: "7", icon: "M4 7h10m4 0h2M4 17h2m4 0h10M14 4v6M8 14v6" },
  { name: "people", title: "People", key: "8", right: "people", icon: "M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3 19c0-3 3-5 6-5s6 2 6 5M16 11a2.5 2.5 0 1 0 0-5M17 14c2 .5 4 2 4 5" },
];

const place = () => {
  const [name = "chat", ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  const known = PAGES.some((page) => page.name === name) ? name : "chat";
  return { page: known, rest: rest.map(decodeURIComponent) };
};

function App() {
  const [at, setAt] = useState(place());
  const [Page, setPage] = useState(null);
  const [line, setLine] = useState("connecting");
  const [locked, setLocked] = useState(false);
  const [rights, setRights] = useState([]);

  useEffect(() => {
    const moved = () => setAt(place());
    const keyed = (event) => {
      const page = PAGES.find((one) => one.key === event.key);
      if (event.altKey && page) {
        event.preventDefault();
        location.hash = `#/${page.name}`;
      }
    };
    addEventListener("hashchange", moved);
    addEventListener("keydown", keyed);
    onUnauthorized((said) => setLocked(said || true));
    const off = live.watch((message) => message.type === "line" && setLine(message.state));
    live.open();
    get("/api/settings").then((it) => setRights(it.rights), () => {});
    return () => {
      removeEventListener("hashchange", moved);
      removeEventListener("keydown", keyed);
      off();
    };
  }, []);

  useEffect(() => {
    let current = true;
    import(`./pages/${at.page}.js`).then((module) => current && setPage(() => module.default));
    document.title = `${PAGES.find((page) => page.name === at.page).title} · Hammerstone`;
    return () => {
      current = false;
    };
  }, [at.page]);

  return html`
    <a class="skip" href="#main">Skip to content</a>
    <nav class="side" aria-label="Pages">
      <a class="brand" href="#/chat" aria-label="Hammerstone"><img src="/web/icon.svg" alt="" /> <span>Hammerstone</span></a>
      ${PAGES.filter((page) => !page.right || rights.includes(page.right)).map(
        (page) => html`<a
          href=${`#/${page.name}`}
          aria-current=${at.page === page.name ? "page" : null}
          aria-label=${page.title}
          title=${`${page.title} (Alt+${page.key})`}
        >
          <svg viewBox="0 0 24 24" aria-hidden="true"><path d=${page.icon} /></svg>
          <span>${page.title}</span>
        </a>`,
      )}
      <span class=${`line ${line}`} role="status">${line === "open" ? "connected" : line === "lost" ? "connection lost, trying again" : "connecting"}</span>
    </nav>
    <main id="main" tabindex="-1">
      ${locked ? html`<${Login} said=${locked} />` : Page && html`<${Page} rest=${at.rest} key=${at.page} />`}
    </main>
  `;
}

function Login({ said }) {
  const [value, setValue] = useState("");
  const enter = (event) => {
    event.preventDefault();
    setToken(value.trim());
    location.reload();
  };
  return html`<form class="card login" onSubmit=${enter}>
    <h1>A token is needed</h1>
    <p>${["token_expired", "token_revoked"].includes(said.code) ? html`<strong role="alert">${said.message}</strong>` : "This Hammerstone is protected. Its owner has set HAMMERSTONE_TOKEN, or gave you a token of your own."}</p>
    <label>Token <input type="password" autocomplete="current-password" value=${value} onInput=${(e) => setValue(e.target.value)} /></label>
    <button class="primary">Open</button>
  </form>`;
}

const root = document.getElementById("app");
root.replaceChildren();
render(html`<${App} />`, root);
