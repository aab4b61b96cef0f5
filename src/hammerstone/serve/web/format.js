// How times, durations, numbers, sizes, shares and counted things are written, everywhere in the app.
const NONE = "–";
const missing = (value) => value === null || value === undefined || Number.isNaN(value);

/** 12,345.5: at most `digits` after the point. */
export const number = (value, digits = 2) => (missing(value) ? NONE : Number(value).toLocaleString("en", { maximumFractionDigits: digits }));

/** "1 row", "10,000 rows"; what does not just take an s is given as `many`. */
export const plural = (count, one, many = `${one}s`) => `${number(count)} ${Math.abs(count) === 1 ? one : many}`;

/** How often something was used, in words. */
export const times = (count) => (count === 0 ? "not used yet" : count === 1 ? "used once" : `used ${number(count)} times`);

/** 0.974 is 97%. What is not quite sure never reads 100%, what is not impossible never 0%. */
export function percent(share) {
  if (missing(share)) return NONE;
  const whole = Math.round(share * 100);
  if (whole === 100 && share < 1) return "99%";
  return whole === 0 && share > 0 ? "1%" : `${whole}%`;
}

/** How long something took: 340 ms, 4.2 s, 2 min 5 s, 1 h 12 min. */
export function duration(seconds) {
  if (missing(seconds)) return NONE;
  if (seconds < 0.001) return "< 1 ms";
  if (seconds < 0.9995) return `${Math.round(seconds * 1000)} ms`;
  return seconds < 59.95 ? `${seconds.toFixed(1)} s` : elapsed(seconds);
}

/** A clock that runs, in whole seconds: 41 s, 2 min 5 s, 1 h 12 min. A clock set back never runs backwards. */
export function elapsed(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** 340 B, 1.5 kB, 2.3 MB. */
export function bytes(size) {
  if (missing(size)) return NONE;
  if (size < 1000) return `${size} B`;
  if (size < 1e6) return `${(size / 1e3).toFixed(1)} kB`;
  return size < 1e9 ? `${(size / 1e6).toFixed(1)} MB` : `${(size / 1e9).toFixed(1)} GB`;
}

/** A price; what costs less than a cent keeps its digits. */
export const money = (usd) => (missing(usd) ? NONE : `$${usd === 0 || usd >= 0.01 ? usd.toFixed(2) : usd.toFixed(4)}`);

/** 14:03:22 today, 17 Nov, 14:03 this year, 17 Nov 2025, 14:03 before. `now` is for tests. */
export function moment(text, now = new Date()) {
  const then = new Date(text);
  if (!text || Number.isNaN(then.getTime())) return NONE;
  const today = then.toDateString() === now.toDateString();
  const clock = then.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", ...(today ? { second: "2-digit" } : {}) });
  if (today) return clock;
  const year = then.getFullYear() === now.getFullYear() ? {} : { year: "numeric" };
  return `${then.toLocaleDateString("en-GB", { day: "numeric", month: "short", ...year })}, ${clock}`;
}

/** A text cut to `most` characters, never within a character. */
export function shortened(text, most) {
  const characters = text.length > most ? [...text.slice(0, most * 2)] : null;
  return characters && characters.length > most ? `${characters.slice(0, most).join("")}…` : text;
}
