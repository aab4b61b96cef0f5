// The frame: navigation on one side, one page beside it, chosen by the address.
import { get, onUnauthorized } from "./api.js";
import { live } from "./live.js";
import { listen } from "./shortcuts.js";
import { applyTheme } from "./theme.js";
import { html, Problem, render, useEffect, useState } from "./ui.js";

const PAGES = [
  { name: "chat", title: "Chat", letter: "c", icon: "M4 5h16v11H9l-5 4z" },
  { name: "library", title: "Library", letter: "l", icon: "M5 4h4v16H5zM11 4h4v16h-4zM17 5l3 14" },
  { name: "graph", title: "Graph", letter: "g", icon: "M6 6l6 6 6-6M12 12v7" },
  { name: "traces", title: "Traces", letter: "t", icon: "M4 6h10M8 12h12M6 18h8" },
  { name: "triggers", title: "Triggers", letter: "r", icon: "M13 3L5 14h6l-1 7 8-11h-6z" },
  { name: "learning", title: "Learning", letter: "e", icon: "M4 18l5-6 4 3 7-9" },
  { name: "experiments", title: "Experiments", letter: "x", icon: "M9 3h6M10 3v6l-5 10a1 1 0 0 0 1 2h12a1 1 0 0 0 1-2L14 9V3M8 15h8" },
  { name: "evolution", title: "Evolution", letter: "v", right: "govern", icon: "M4 19h16M4 15c5 0 4-9 8-9s3 5 8 5M12 6V3" },
  { name: "memory", title: "Memory", letter: "m", icon: "M6 4h12v16l-6-4-6 4z" },
  { name: "documents", title: "Documents", letter: "d", icon: "M6 3h9l4 4v14H6zM14 3v5h5M9 12h7M9 16h7" },
  { name: "settings", title: "Settings", letter: "s", icon: "M4 7h10m4 0h2M4 17h2m4 0h10M14 4v6M8 14v6" },
  { name: "scoreboard", title: "Scoreboard", letter: "b", right: "govern", icon: "M5 20v-7h4v7M10 20V5h4v15M15 20v-10h4v10" },
  { name: "people", title: "People", letter: "p", right: "people", icon: "M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3 19c0-3 3-5 6-5s6 2 6 5M16 11a2.5 2.5 0 1 0 0-5M17 14c2 .5 4 2 4 5" },
];

const place = () => {
  const [name = "chat", ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  const known = PAGES.some((page) => page.name === name) ? name : "chat";
  return { page: known, rest: rest.map(decodeURIComponent) };
};

/** The styles of all pages but the chat, fetched with the first of them. */
const styled = (page) => {
  if (page === "chat" || document.querySelector("link[data-pages]")) return null;
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/web/pages.css" });
  link.dataset.pages = "";
  document.head.append(link);
  return new Promise((done) => (link.onload = link.onerror = done));
};

/** A part that is fetched when it is first needed: itself, and functions to fetch and to set it. */
function usePart(load) {
  const [Part, setPart] = useState(null);
  return [Part, () => load().then((part) => setPart(() => part)), setPart];
}

function App() {
  const [at, setAt] = useState(place());
  const [page, setPage] = useState(null); // what is shown: where, and the component
  const [line, setLine] = useState({ state: "connecting" });
  const [locked, setLocked] = useState(false);
  const [rights, setRights] = useState([]);
  const [Keys, help, setKeys] = usePart(() => import("./parts/keys.js").then((module) => module.Keys));
  const [LostBar, loadLost] = usePart(() => import("./parts/lost.js").then((module) => module.LostBar));
  const [Login, loadLogin] = usePart(() => import("./parts/login.js").then((module) => module.Login));
  const shown = PAGES.filter((page) => !page.right || rights.includes(page.right));

  useEffect(() => {
    let settle = null;
    const moved = () => {
      const main = document.getElementById("main");
      const before = [main, document.activeElement, main.querySelector("h1")];
      settle?.();
      import("./parts/heading.js").then(({ focusHeading }) => (settle = focusHeading(...before)), () => {});
      setAt(place());
    };
    addEventListener("hashchange", moved);
    const unlisten = listen(PAGES, help);
    onUnauthorized((said) => {
      loadLogin();
      setLocked(said || true);
    });
    const off = live.watch((message) => message.type === "line" && setLine(message));
    live.open();
    loadLost(); // now: when the server is gone it cannot be fetched any more
    get("/api/settings").then((it) => setRights(it.rights), () => {});
    return () => {
      removeEventListener("hashchange", moved);
      unlisten();
      off();
    };
  }, []);

  useEffect(() => {
    let current = true;
    Promise.all([import(`./pages/${at.page}.js`), styled(at.page)]).then(
      ([module]) => current && setPage({ ...at, Page: module.default }),
      () => current && setPage({ ...at, Page: Unfetched }),
    );
    document.title = `${PAGES.find((page) => page.name === at.page).title} · Hammerstone`;
    return () => {
      current = false;
    };
  }, [at]);

  const skip = (event) => {
    event.preventDefault();
    document.getElementById("main").focus();
  };
  return html`
    <a class="skip" href="#main" onClick=${skip}>Skip to content</a>
    <nav class="side" aria-label="Pages">
      <a class="brand" href="#/chat" aria-label="Hammerstone, start page"><img src="/web/icon.svg" alt="" /> <span>Hammerstone</span></a>
      ${shown.map(
        (page) => html`<a href=${`#/${page.name}`} aria-current=${at.page === page.name ? "page" : null} title=${`${page.title}: press g, then ${page.letter}`}>
          <svg viewBox="0 0 24 24" aria-hidden="true"><path d=${page.icon} /></svg>
          <span>${page.title}</span>
        </a>`,
      )}
      <span class="foot"><button class="quiet" aria-label="Keyboard shortcuts" onClick=${help}>Keys <kbd>?</kbd></button>
      <span class=${`line ${line.state}`} role="status">${LINES[line.state]}</span></span>
    </nav>
    <main id="main" tabindex="-1">
      ${LostBar && html`<${LostBar} line=${line} />`}
      ${locked ? Login && html`<${Login} said=${locked} />` : page && html`<${page.Page} rest=${page.rest} key=${page.page} />`}
    </main>
    ${Keys && html`<${Keys} pages=${shown} close=${() => setKeys(null)} />`}
  `;
}

const Unfetched = () => html`<${Problem} error=${{ message: "This page could not be fetched.", hint: "Is Hammerstone still running?" }} again=${() => location.reload()} />`;

const LINES = { open: "connected", lost: "connection lost", connecting: "connecting" };

applyTheme();
const root = document.getElementById("app");
root.replaceChildren();
render(html`<${App} />`, root);
