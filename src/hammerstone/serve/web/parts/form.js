// A form made from a JSON Schema: one field a parameter; what is no simple value is typed as JSON.
import { html, useState } from "../ui.js";

const kind = (schema) => (Array.isArray(schema.type) ? schema.type.find((one) => one !== "null") : schema.type);

function read(schema, text) {
  if (schema.enum) return schema.enum.find((one) => String(one) === text);
  switch (kind(schema)) {
    case "string":
      return text;
    case "integer":
    case "number": {
      const number = Number(text);
      if (text.trim() === "" || Number.isNaN(number)) throw new Error("is not a number");
      return number;
    }
    case "boolean":
      return text === "true";
    default:
      return JSON.parse(text);
  }
}

export function SchemaForm({ parameters, run, busy }) {
  const properties = Object.entries(parameters.properties || {});
  const required = new Set(parameters.required || []);
  const [values, setValues] = useState({});
  const [wrong, setWrong] = useState(null);
  const submit = (event) => {
    event.preventDefault();
    const given = {};
    for (const [name, schema] of properties) {
      const text = values[name] ?? (kind(schema) === "boolean" ? "false" : "");
      if (text === "" && (!required.has(name) || kind(schema) !== "string")) {
        if (required.has(name)) return setWrong(`Please fill in ${name}.`);
        continue;
      }
      try {
        given[name] = read(schema, text);
      } catch (error) {
        return setWrong(`${name} ${error.message.includes("JSON") ? "must be written like [1, 2] or {\"a\": 1}" : error.message}`);
      }
    }
    setWrong(null);
    run(given);
  };
  const set = (name) => (event) => setValues({ ...values, [name]: event.target.value });
  return html`<form onSubmit=${submit}>
    ${properties.map(([name, schema]) => html`<label class="stack">
      <span><strong>${name}</strong> <span class="soft">${schema.description || ""}${required.has(name) ? "" : " (optional)"}</span></span>
      <${Field} schema=${schema} value=${values[name]} onInput=${set(name)} />
    </label>`)}
    ${wrong && html`<p class="note" role="alert">${wrong}</p>`}
    <button class="primary" disabled=${busy}>${busy ? "Running …" : "Run"}</button>
  </form>`;
}

function Field({ schema, value, onInput }) {
  const options = schema.enum || (kind(schema) === "boolean" ? ["false", "true"] : null);
  if (options) {
    return html`<select value=${value ?? ""} onChange=${onInput}>
      ${kind(schema) === "boolean" ? null : html`<option value=""></option>`}
      ${options.map((one) => html`<option value=${String(one)}>${String(one)}</option>`)}
    </select>`;
  }
  const simple = ["string", "integer", "number"].includes(kind(schema));
  if (simple) return html`<input type="text" inputmode=${kind(schema) === "string" ? "text" : "decimal"} value=${value ?? ""} onInput=${onInput} />`;
  return html`<textarea class="code" rows="3" placeholder=${kind(schema) === "array" ? "[1, 2, 3]" : '{"name": "value"}'} value=${value ?? ""} onInput=${onInput}></textarea>`;
}
