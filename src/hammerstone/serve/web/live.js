// One WebSocket for the page. A lost line is taken up again where it broke off.
import { token } from "./api.js";

const RETRY_MS = [300, 1000, 2000, 5000, 10_000];

export class Live {
  constructor() {
    this.socket = null;
    this.tries = 0;
    this.seen = new Map(); // run id -> number of the last message
    this.events = new Map(); // run id -> number of its last event, which outlives the server
    this.watchers = new Set();
    this.waiting = []; // sent while the line was down
    this.asked = new Map(); // run id -> a request that the server has not said it has taken in
    this.state = "connecting";
    this.timer = null;
    // What the browser knows is faster than a line that nobody closes.
    addEventListener("offline", () => this.socket?.close());
    addEventListener("online", () => this.retry());
  }

  watch(callback) {
    this.watchers.add(callback);
    return () => this.watchers.delete(callback);
  }

  tell(message) {
    for (const watcher of this.watchers) watcher(message);
  }

  open() {
    const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`;
    const given = token();
    this.socket = given ? new WebSocket(address, [`bearer.${given}`]) : new WebSocket(address);
    this.socket.onopen = () => {
      this.tries = 0;
      this.state = "open";
      this.tell({ type: "line", state: "open" });
      this.raw({ watch: true });
      for (const [run, number] of this.seen) this.raw({ resume: run, after: number, event: this.events.get(run) ?? -1 });
      for (const message of this.waiting.splice(0)) this.raw(message);
      for (const message of this.asked.values()) this.raw(message);
    };
    this.socket.onmessage = (event) => this.take(JSON.parse(event.data));
    this.socket.onclose = () => {
      const delay = RETRY_MS[Math.min(this.tries++, RETRY_MS.length - 1)];
      this.state = "lost";
      this.tell({ type: "line", state: "lost", retry_ms: delay });
      this.timer = setTimeout(() => this.open(), delay);
    };
  }

  /** Try now, without waiting for the next time. */
  retry() {
    if (this.state !== "lost") return;
    clearTimeout(this.timer);
    this.open();
  }

  take(message) {
    const run = message.run_id;
    if (message.type === "run_started" || (message.type === "query_complete" && run)) this.asked.delete(run);
    else if (message.type === "query_complete") this.asked.clear(); // refused: nothing to say again
    if (message.type === "run_started" && message.again) this.seen.set(run, -1);
    if (message.type === "agent_event") this.events.set(run, Math.max(message.event.number, this.events.get(run) ?? -1));
    if (run && message.number !== undefined) {
      if (this.seen.has(run) && message.number <= this.seen.get(run)) return;
      this.seen.set(run, message.number);
    } else if (message.type === "run_started" && !this.seen.has(run)) {
      this.seen.set(run, -1);
    }
    if (message.type === "query_complete" || message.type === "run_gone") this.seen.delete(run);
    this.tell(message);
  }

  raw(message) {
    this.socket.send(JSON.stringify(message));
  }

  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.raw(message);
    else this.waiting.push(message);
  }

  /** Asks, and says it again on the next line until the server has taken it in: it has an id, so it
   *  is not answered twice. */
  ask(message) {
    const id = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const asked = { ...message, run_id: id };
    this.asked.set(id, asked);
    if (this.socket?.readyState === WebSocket.OPEN) this.raw(asked);
  }

  resume(run) {
    if (this.seen.has(run)) return; // it is being followed already
    this.seen.set(run, -1);
    this.send({ resume: run, after: -1 });
  }
}

export const live = new Live();
