// A file that was made for an answer: shown where it is a picture, and saved with one click.
import { fileAddress, save } from "../api.js";
import { bytes } from "../format.js";
import { html, Problem, useEffect, useState } from "../ui.js";

export function MadeFile({ file }) {
  const [address, setAddress] = useState(null);
  const [problem, setProblem] = useState(null);
  const picture = file.media_type.startsWith("image/") && file.media_type !== "image/svg+xml";
  useEffect(() => {
    let made = null;
    if (picture) fileAddress(file.id, true).then((url) => setAddress((made = url)), setProblem);
    return () => made && URL.revokeObjectURL(made);
  }, [file.id]);
  return html`<figure class="made">
    ${address && html`<a href=${address} target="_blank" title="Open in full size"><img src=${address} alt=${file.name} /></a>`}
    ${problem && html`<${Problem} error=${problem} />`}
    <figcaption>${file.name} <span class="soft">${bytes(file.size_bytes)}</span> <button onClick=${() => save(file.id, file.name).catch(setProblem)}>Save</button></figcaption>
  </figure>`;
}
