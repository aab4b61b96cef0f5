// The list of keys, in front of the page.
import { html, useEffect, useRef } from "../ui.js";

export function Keys({ pages, close }) {
  const box = useRef(null);
  useEffect(() => box.current?.showModal(), []);
  const rows = [
    ...pages.map((page) => [["g", page.letter], `go to ${page.title}`]),
    [["/"], "go to the search field, or to the field for your request"],
    [["?"], "show these keys"],
    [["Tab"], "go to the next button, link or field"],
    [["←", "→", "↑", "↓"], "move between tabs, and between the steps of a trace"],
    [["Esc"], "leave a field, or close what is in front"],
  ];
  return html`<dialog ref=${box} class="keys" aria-label="Keyboard shortcuts" onClose=${close}>
    <h2>Keyboard shortcuts</h2>
    <table><tbody>${rows.map(([keys, what]) => html`<tr><th scope="row">${keys.map((key) => html`<kbd>${key}</kbd> `)}</th><td>${what}</td></tr>`)}</tbody></table>
    <p class="hint">Two keys are pressed one after the other. They do nothing while you type in a field.</p>
    <form method="dialog"><button class="primary">Close</button></form>
  </dialog>`;
}
