// A session as the page holds it: one run for each request, grown by what the server tells.

export const newRun = (id, text, more = {}) => ({
  id, text, files: [], steps: [], words: "", answer: null, error: null, asks: [], progress: null, feedback: null, began: performance.now(), ...more,
});

export const isGoing = (run) => !run.answer && !run.error;

/** When a run began on this page's own clock, which no wrong clock moves. */
export const beganBefore = (elapsed_s) => performance.now() - (elapsed_s || 0) * 1000;

/** What a message changes about a run. */
export function grown(run, message) {
  switch (message.type) {
    case "agent_event":
      return heard(run, message.event);
    case "question":
    case "approval":
      return { ...run, asks: [...run.asks.filter((one) => one.id !== message.id), message] };
    case "answered":
      return { ...run, asks: run.asks.filter((one) => one.id !== message.id) };
    case "query_complete":
      return { ...run, asks: [], answer: message.answer || null, error: message.error || null, fresh: message.answer?.status === "done" };
    case "proof_progress":
      return { ...run, progress: { done: message.done, most: message.most, began: beganBefore(message.elapsed_s) } };
    default:
      return run;
  }
}

/** Words of an answer that is being written are no steps. */
function heard(run, event) {
  if (event.kind === "synthesizing_response" && event.data?.piece) return { ...run, words: run.words + event.text };
  // A run read from the store has its steps there: those of its proof alone would pass for all.
  const steps = run.answer && !run.steps.length ? run.steps : [...run.steps, event];
  return { ...run, steps, answer: proved(run.answer, event), progress: event.kind === "proof" ? null : run.progress };
}

/** An answer with what its proof said since. */
function proved(answer, event) {
  const said = event.data || {};
  if (!answer) return answer;
  if (event.kind === "proof") return { ...answer, proof: said.proof, tool: said.tool ?? answer.tool, version: said.version ?? answer.version, tool_confidence: said.confidence };
  if (event.kind === "correction") return { ...answer, text: event.text, result: said.result, correction: said };
  return answer;
}

const REASONS = {
  cancelled: { code: "cancelled", message: "You stopped this request." },
  lost: { message: "This request was cut off: Hammerstone stopped before it was answered.", hint: "Try again." },
};

/** A request that came to no answer, as the page shows it. */
const unanswered = (row) =>
  newRun(row.run_id, row.text, { at: row.at, error: row.status === "running" ? null : REASONS[row.status] || { message: row.reason || "This request failed.", hint: "" } });

/** The runs of a stored session, oldest first: what was asked, and what came of it. */
export function stored(document) {
  const runs = [];
  for (const message of document.messages) {
    if (message.author === "user") runs.push(newRun(null, message.text, { files: message.data?.files || [], at: message.at }));
    else answer(runs, message);
  }
  for (const row of document.unanswered || []) {
    if (runs.some((run) => run.id === row.run_id)) continue;
    const later = runs.findIndex((run) => run.at > row.at);
    runs.splice(later < 0 ? runs.length : later, 0, unanswered(row));
  }
  for (const run of runs) {
    run.feedback = document.feedback?.[run.id] || null;
    run.asks = (document.approvals || []).filter((one) => one.run_id === run.id && !isGoing(run)).map((one) => ({ ...one, type: "approval", stored: true }));
    const progress = document.proving?.[run.id];
    if (progress) run.progress = grown(run, { ...progress, type: "proof_progress" }).progress;
  }
  return runs;
}

function answer(runs, message) {
  const said = message.data || { text: message.text };
  const corrected = said.before === undefined ? null : runs.find((run) => run.id === said.run_id) || runs.at(-1);
  if (corrected?.answer) {
    corrected.answer = { ...corrected.answer, text: said.text, result: said.result, correction: said };
    return;
  }
  if (!runs.length) runs.push(newRun(null, "", { at: message.at }));
  Object.assign(runs.at(-1), { answer: said, id: said.run_id || null });
}

/** What a stored run came to, for one whose end nobody heard. */
export const ended = (run, row) => {
  if (row.answer?.status) return { ...run, asks: [], answer: row.answer };
  const status = row.status === "running" ? "lost" : row.status;
  return { ...run, asks: [], error: REASONS[status] || { message: row.answer?.text || "This request failed.", hint: "" } };
};
