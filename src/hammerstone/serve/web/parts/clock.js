// A clock that ticks while something goes on, on the page's own time.
import { elapsed } from "../format.js";
import { html, useEffect, useState } from "../ui.js";

/** Seconds since `began` (as performance.now counts them), in words; nothing that is read aloud. */
export function Clock({ began }) {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  return html`<span class="clock" aria-hidden="true">${elapsed((performance.now() - began) / 1000)}</span>`;
}
