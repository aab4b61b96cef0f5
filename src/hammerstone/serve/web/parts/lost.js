// The bar that says that the server is gone.
import { html, useEffect, useRef, useState } from "../ui.js";

/** Says that the server is gone and when it is tried again; a blink is not worth a word. */
export function LostBar({ line }) {
  const [left, setLeft] = useState(null);
  const lost = line.state === "lost";
  const since = useRef(0);
  useEffect(() => {
    if (!lost) {
      since.current = 0;
      setLeft(null);
      return undefined;
    }
    since.current ||= Date.now();
    const until = Date.now() + (line.retry_ms ?? 5000);
    const tick = () => Date.now() - since.current > 1500 && setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000)));
    tick();
    const timer = setInterval(tick, 500);
    return () => clearInterval(timer);
  }, [line]);
  if (!lost || left === null) return null;
  return html`<div class="lostbar"><strong role="alert">Hammerstone does not answer.</strong> <span>${left > 0 ? `Trying again in ${left} s.` : "Trying again now …"} This page goes on by itself when it is back. If it stays away, start it with <code>hammerstone serve</code>.</span></div>`;
}
