// Light, dark, or as the system: kept in this browser, and set before the first page is drawn.
import { html, useState } from "./ui.js";

const KEY = "hammerstone.theme";
const CHOICES = { "": "as the system", light: "light", dark: "dark" };

const kept = () => {
  try {
    return localStorage.getItem(KEY) || "";
  } catch {
    return "";
  }
};

export function applyTheme(choice = kept()) {
  if (choice) document.documentElement.dataset.theme = choice;
  else delete document.documentElement.dataset.theme;
}

export function ThemeChoice() {
  const [choice, setChoice] = useState(kept());
  const choose = (event) => {
    const chosen = event.target.value;
    setChoice(chosen);
    applyTheme(chosen);
    try {
      localStorage.setItem(KEY, chosen);
    } catch {
      return; // a browser that keeps nothing: it holds until the page is left
    }
  };
  return html`<label class="hint">Colours <select value=${choice} onChange=${choose}>
    ${Object.entries(CHOICES).map(([value, title]) => html`<option value=${value}>${title}</option>`)}
  </select></label>`;
}

// Another tab that chooses is followed.
addEventListener("storage", (event) => event.key === KEY && applyTheme());
