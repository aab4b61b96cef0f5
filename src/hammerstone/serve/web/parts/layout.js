// Where the tools of a graph stand: in columns from left to right, each after what it follows.

const GAP = { x: 70, y: 16 };
const TALLEST = 13; // tools in one column
const READABLE = 0.62; // below this nobody can read a name

/** The column of each tool: one more than the farthest that leads to it; circles are cut open. */
function columns(names, edges) {
  const next = new Map(names.map((name) => [name, []]));
  for (const { source, target } of edges) if (source !== target) next.get(source)?.push(target);
  const order = [];
  const state = new Map(); // 1 while it is being visited, 2 afterwards
  const back = new Set();
  for (const root of names) {
    const stack = state.has(root) ? [] : [[root, 0]];
    if (stack.length) state.set(root, 1);
    while (stack.length) {
      const top = stack.at(-1);
      const to = next.get(top[0])[top[1]++];
      if (to === undefined) {
        state.set(top[0], 2);
        order.unshift(top[0]);
        stack.pop();
      } else if (state.get(to) === 1) back.add(`${top[0]}\n${to}`);
      else if (!state.has(to)) {
        state.set(to, 1);
        stack.push([to, 0]);
      }
    }
  }
  const level = new Map(names.map((name) => [name, 0]));
  for (const name of order) for (const to of next.get(name)) if (!back.has(`${name}\n${to}`)) level.set(to, Math.max(level.get(to), level.get(name) + 1));
  return level;
}

/** Columns of tools, each ordered so that arrows cross little. */
function ordered(names, edges) {
  const level = columns(names, edges);
  const all = [];
  for (const name of names) (all[level.get(name)] ||= []).push(name);
  const near = new Map(names.map((name) => [name, edges.filter((edge) => edge.target === name || edge.source === name).map((edge) => (edge.target === name ? edge.source : edge.target))]));
  const place = new Map();
  const number = () => all.forEach((column) => column.forEach((name, at) => place.set(name, at / column.length)));
  number();
  for (let sweep = 0; sweep < 6; sweep += 1) {
    for (const column of all) {
      const mean = new Map(column.map((name) => [name, near.get(name).reduce((sum, one) => sum + place.get(one), 0) / (near.get(name).length || 1)]));
      column.sort((one, other) => mean.get(one) - mean.get(other));
    }
    number();
  }
  return all.flatMap((column) => {
    const parts = Math.ceil(column.length / TALLEST);
    return [...Array(parts).keys()].map((part) => column.filter((_, at) => at % parts === part));
  });
}

/** Puts the tools of a drawing in their places: the joined in columns, the rest in rows below. */
export function arrange(drawn, edges) {
  const loose = drawn.nodes(".loose");
  const joined = drawn.nodes().difference(loose);
  const size = (name) => drawn.getElementById(name);
  let x = 0;
  let [top, bottom] = [0, 0];
  for (const column of ordered(joined.map((node) => node.id()), edges)) {
    const wide = Math.max(...column.map((name) => size(name).outerWidth()));
    const tall = column.reduce((sum, name) => sum + size(name).outerHeight() + GAP.y, 0);
    let y = -tall / 2;
    for (const name of column) {
      size(name).position({ x: x + wide / 2, y: y + size(name).outerHeight() / 2 });
      y += size(name).outerHeight() + GAP.y;
    }
    top = Math.min(top, -tall / 2);
    bottom = Math.max(bottom, tall / 2);
    x += wide + GAP.x;
  }
  rows(loose, joined.length ? bottom + 60 : top, Math.max(x - GAP.x, Math.sqrt(loose.length * 156 * 50 * 2)));
}

function rows(loose, y, most) {
  let x = 0;
  loose.sort((one, other) => one.id().localeCompare(other.id())).forEach((node) => {
    const wide = node.outerWidth();
    if (x > 0 && x + wide > most) [x, y] = [0, y + node.outerHeight() + GAP.y];
    node.position({ x: x + wide / 2, y });
    x += wide + GAP.y;
  });
}

/** The whole picture where its names can be read; else its upper left part, and one can move. */
export function show(drawn) {
  drawn.fit(undefined, 24);
  if (drawn.zoom() > 1.3) drawn.zoom(1.3) && drawn.center();
  if (drawn.zoom() >= READABLE) return;
  drawn.zoom(READABLE);
  const box = drawn.elements().boundingBox();
  const [wide, tall] = [box.w * READABLE, box.h * READABLE];
  drawn.pan({ x: wide > drawn.width() ? 24 - box.x1 * READABLE : (drawn.width() - wide) / 2 - box.x1 * READABLE, y: tall > drawn.height() ? 24 - box.y1 * READABLE : (drawn.height() - tall) / 2 - box.y1 * READABLE });
}
