// Where the tools of a graph stand: in columns from left to right, each after what it follows.

const GAP = { x: 70, y: 16 };
const TALLEST = 13; // tools in one column
const READABLE = 0.62; // below this nobody can read a name
const [LEAST, MOST] = [0.15, 2.5];

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

/** Puts boxes in their places, which are their middles: the joined in columns, the rest in rows below. */
export function arrange(boxes, edges) {
  const named = new Map(boxes.map((box) => [box.id, box]));
  const joined = boxes.filter((box) => !box.loose);
  let x = 0;
  let [top, bottom] = [0, 0];
  for (const column of ordered(joined.map((box) => box.id), edges)) {
    const here = column.map((id) => named.get(id));
    const wide = Math.max(...here.map((box) => box.wide));
    const tall = here.reduce((sum, box) => sum + box.tall + GAP.y, 0);
    let y = -tall / 2;
    for (const box of here) {
      [box.x, box.y] = [x + wide / 2, y + box.tall / 2];
      y += box.tall + GAP.y;
    }
    top = Math.min(top, -tall / 2);
    bottom = Math.max(bottom, tall / 2);
    x += wide + GAP.x;
  }
  const loose = boxes.filter((box) => box.loose);
  rows(loose, joined.length ? bottom + 60 : top, Math.max(x - GAP.x, Math.sqrt(loose.length * 156 * 50 * 2)));
}

function rows(loose, y, most) {
  let x = 0;
  for (const box of loose.sort((one, other) => one.id.localeCompare(other.id))) {
    if (x > 0 && x + box.wide > most) [x, y] = [0, y + box.tall + GAP.y];
    [box.x, box.y] = [x + box.wide / 2, y];
    x += box.wide + GAP.y;
  }
}

/** What boxes cover together. */
function extent(boxes) {
  const [left, right] = [Math.min(...boxes.map((box) => box.x - box.wide / 2)), Math.max(...boxes.map((box) => box.x + box.wide / 2))];
  const [top, bottom] = [Math.min(...boxes.map((box) => box.y - box.tall / 2)), Math.max(...boxes.map((box) => box.y + box.tall / 2))];
  return { left, top, wide: right - left, tall: bottom - top, x: (left + right) / 2, y: (top + bottom) / 2 };
}

export const bounded = (scale) => Math.min(MOST, Math.max(LEAST, scale));

/** The view that shows all of these boxes in the middle of a window. */
export function fitting(boxes, size, padding, most = MOST) {
  const all = extent(boxes);
  const scale = bounded(Math.min(most, (size.wide - 2 * padding) / all.wide, (size.tall - 2 * padding) / all.tall));
  return { scale, x: size.wide / 2 - all.x * scale, y: size.tall / 2 - all.y * scale };
}

/** The whole picture where its names can be read; else its upper left part, and one can move. */
export function opening(boxes, size) {
  const view = fitting(boxes, size, 24, 1.3);
  if (view.scale >= READABLE) return view;
  const all = extent(boxes);
  const from = (start, length, room) => (length * READABLE > room ? 24 : (room - length * READABLE) / 2) - start * READABLE;
  return { scale: READABLE, x: from(all.left, all.wide, size.wide), y: from(all.top, all.tall, size.tall) };
}

/** Larger or smaller, while the point of the window stays where it is. */
export function zoomed(view, by, point) {
  const scale = bounded(view.scale * by);
  const ratio = scale / view.scale;
  return { scale, x: point.x - (point.x - view.x) * ratio, y: point.y - (point.y - view.y) * ratio };
}
