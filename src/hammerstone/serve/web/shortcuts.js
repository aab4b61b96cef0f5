// Keys that work anywhere but in a field: `g` and a letter goes to a page, `/` to its search, `?` tells.

const GO_WITHIN_MS = 1500;
const TYPED_IN = "input:not([type=checkbox]), textarea, select, [contenteditable=true]";

/** Listens until the returned function is called. `pages` have a `letter`; `help` shows the keys. */
export function listen(pages, help) {
  let began = 0;
  const keyed = (event) => {
    const field = event.target.closest?.("input, textarea, select");
    if (event.key === "Escape" && field && !field.closest("dialog") && !event.defaultPrevented) return field.blur();
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.target.closest?.(TYPED_IN) || document.querySelector("dialog[open]")) return undefined;
    const page = event.timeStamp - began < GO_WITHIN_MS && pages.find((one) => one.letter === event.key.toLowerCase());
    began = 0;
    if (page) location.hash = `#/${page.name}`;
    else if (event.key === "g") began = event.timeStamp;
    else if (event.key === "?") help();
    else if (event.key === "/") document.querySelector("main input[type=search], main textarea")?.focus();
    else return undefined;
    return event.preventDefault();
  };
  addEventListener("keydown", keyed);
  return () => removeEventListener("keydown", keyed);
}
