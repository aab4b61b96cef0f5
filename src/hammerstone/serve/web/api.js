// The one way to the engine: JSON in, JSON out, errors with a message and a hint.
const TOKEN = "hammerstone.token";

export const token = () => sessionStorage.getItem(TOKEN);
export const setToken = (value) => sessionStorage.setItem(TOKEN, value);

let unauthorized = () => {};
export const onUnauthorized = (callback) => {
  unauthorized = callback;
};

export class ApiError extends Error {
  constructor(status, { code, message, hint }) {
    super(message);
    Object.assign(this, { status, code, hint });
  }
}

function headers(more = {}) {
  const given = token();
  return given ? { ...more, authorization: `Bearer ${given}` } : more;
}

async function request(method, path, body, type = "application/json") {
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: headers(body === undefined ? {} : { "content-type": type }),
      body,
    });
  } catch {
    throw new ApiError(0, { code: "offline", message: "Hammerstone does not answer", hint: "is it still running?" });
  }
  if (response.ok) return response;
  let document = {};
  try {
    document = await response.json();
  } catch {
    document = {};
  }
  if (response.status === 401) unauthorized(document.error);
  throw new ApiError(response.status, document.error || { code: "error", message: response.statusText });
}

const json = async (response) => (await response).json();
export const get = (path) => json(request("GET", path));
/** A part of a long list, and the path of the next part; null behind the last one. */
export async function getPage(path) {
  const response = await request("GET", path);
  const next = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") || "");
  return { items: await response.json(), next: next && next[1] };
}
export const post = (path, body = {}) => json(request("POST", path, JSON.stringify(body)));
export const put = (path, body) => json(request("PUT", path, JSON.stringify(body)));
export const patch = (path, body) => json(request("PATCH", path, JSON.stringify(body)));
export const remove = (path) => json(request("DELETE", path));
export const upload = (file) =>
  json(request("PUT", `/api/files/${encodeURIComponent(file.name)}`, file, "application/octet-stream"));
/** A file that answers are quoted from, kept until it is forgotten. */
export const uploadDocument = (file) =>
  json(request("PUT", `/api/documents/files/${encodeURIComponent(file.name)}`, file, "application/octet-stream"));

/** A file as an address the page can show or save; give it back with URL.revokeObjectURL. */
export async function fileAddress(id, inline = false) {
  const response = await request("GET", `/api/artifacts/${encodeURIComponent(id)}?inline=${inline}`);
  return URL.createObjectURL(await response.blob());
}

export function keep(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export async function download(path, name) {
  keep(await (await request("GET", path)).blob(), name);
}

export const save = (id, name) => download(`/api/artifacts/${encodeURIComponent(id)}?inline=false`, name);

export const query = (values) =>
  new URLSearchParams(Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== ""))
    .toString();
