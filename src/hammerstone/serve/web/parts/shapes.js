// What a graph is drawn with: boxes around names, and arrows between boxes.

const FONT = 14;
const PADDING = 9;
const STEP = 15; // from one line of a name to the next
const WIDEST = 170;
const APART = 40; // between the middles of two arrows that join the same tools
const HEAD = 11; // what the head of an arrow and the gap before a box take

/** A box for each tool, as large as its name; loose are those without an arrow. */
export function boxed(graph) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `${FONT}px system-ui, sans-serif`;
  const width = (text) => pen.measureText(text).width;
  const joined = new Set(graph.edges.flatMap((edge) => [edge.source, edge.target]));
  return new Map(graph.nodes.map(({ id }) => {
    const lines = [];
    for (const word of id.split("_")) {
      const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
      if (lines.length && width(longer) <= WIDEST) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    const tall = lines.length * STEP + 2 * PADDING;
    const baseline = PADDING - tall / 2 + FONT - 1;
    return [id, { id, lines, step: STEP, baseline, tall, wide: Math.max(...lines.map(width)) + 2 * PADDING, loose: !joined.has(id), x: 0, y: 0 }];
  }));
}

/** Each edge with the line of its arrow; those that join the same two tools are bent apart. */
export function arrows(edges, boxes) {
  const together = new Map();
  edges.forEach((edge, at) => {
    const pair = [edge.source, edge.target].sort().join("\n");
    if (!together.has(pair)) together.set(pair, []);
    together.get(pair).push({ edge, at });
  });
  return [...together.values()].flatMap((all) => all.map(({ edge, at }, place) => {
    const [from, to] = [boxes.get(edge.source), boxes.get(edge.target)];
    const turned = edge.source < edge.target ? 1 : -1;
    return { edge, at, line: from === to ? circle(from, place) : bent(from, to, turned * (place - (all.length - 1) / 2) * APART) };
  }));
}

function bent(from, to, aside) {
  const far = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const middle = { x: (from.x + to.x) / 2 - ((to.y - from.y) / far) * aside, y: (from.y + to.y) / 2 + ((to.x - from.x) / far) * aside };
  const [start, end] = [border(from, middle, 0), border(to, middle, HEAD)];
  return `M${start.x} ${start.y}Q${middle.x} ${middle.y} ${end.x} ${end.y}`;
}

/** Where the way from a box to a point leaves the box, and how far behind it. */
function border(box, point, beyond) {
  const [x, y] = [point.x - box.x, point.y - box.y];
  const far = Math.hypot(x, y) || 1;
  const part = Math.min(1, Math.min(x ? box.wide / 2 / Math.abs(x) : Infinity, y ? box.tall / 2 / Math.abs(y) : Infinity) + beyond / far);
  return { x: box.x + x * part, y: box.y + y * part };
}

/** An arrow from a tool to itself, above its right end. */
function circle(box, place) {
  const [right, top, high] = [box.x + box.wide / 2, box.y - box.tall / 2, 34 + 14 * place];
  return `M${right - 30} ${top}C${right - 34} ${top - high} ${right + high} ${top - 10} ${right + HEAD} ${box.y}`;
}
