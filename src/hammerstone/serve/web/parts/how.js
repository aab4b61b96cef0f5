// How an answer came about: why this tool, its code, what it cost, and the way to its trace.
import { get } from "../api.js";
import { duration, money, number, plural } from "../format.js";
import { Facts, html, useEffect, useRef, useState } from "../ui.js";
import { LongText } from "./plain.js";

export function How({ answer, steps }) {
  const [tool, setTool] = useState(answer.tool ? null : false);
  const [known, setKnown] = useState(steps);
  useEffect(() => {
    if (answer.tool) get(`/api/tools/${encodeURIComponent(answer.tool)}`).then(setTool, () => setTool(false));
    // An answer from an earlier visit comes without its steps; they are stored with its run.
    if (!steps.length && answer.run_id) get(`/api/runs/${answer.run_id}`).then((run) => setKnown(run.messages.filter((one) => one.event).map((one) => one.event)), () => {});
  }, [answer.tool]);
  const box = useRef(null);
  useEffect(() => box.current?.scrollIntoView({ block: "nearest" }), [tool]);
  if (tool === null) return html`<p class="loading">Looking …</p>`;
  const cost = answer.cost || {};
  const code = answer.code || tool?.code;
  return html`<div class="why" ref=${box}>
    <${Reason} answer=${answer} steps=${known} tool=${tool} />
    ${code && html`<h3>The code that gave it</h3><${LongText} text=${code} name="answer.py" code=${true} />`}
    <${Facts} of=${{
      took: cost.seconds === undefined ? null : duration(cost.seconds),
      "model calls": cost.model_calls || null,
      tokens: cost.tokens ? number(cost.tokens) : null,
      price: cost.usd ? money(cost.usd) : null,
    }} />
    ${answer.trace_id && html`<p><a href=${`#/traces/${answer.trace_id}`}>Open the trace: every step with its times</a></p>`}
  </div>`;
}

function Reason({ answer, steps, tool }) {
  const chosen = steps.find((step) => step.kind === "tool_found");
  const built = steps.some((step) => step.kind === "synthesizing");
  return html`
    ${built && !chosen && html`<p>No tool of the library fitted, so a program was written for the request${answer.tool ? ", and kept as a tool" : ""}.</p>`}
    ${chosen && html`<p>${chosen.text}.</p>`}
    ${answer.cached && !chosen && !built && html`<p>The same request was answered before; this is that answer.</p>`}
    ${tool && html`<p>${answer.tool} promises: ${tool.description} It has ${plural(tool.suite.length, "test")}${tool.uses ? ` and was called ${plural(tool.uses, "time")}: ${tool.successes === tool.uses ? "always" : plural(tool.successes, "time")} with success` : " and was not called since"}.</p>`}`;
}
