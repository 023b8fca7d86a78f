// Cards that move: of a drawing with zones those that a step says it moved, of another one each card
// whose node has changed its place. What can move has `data-card`, its name; a place of a drawing with
// zones has `data-place`, such as "supply" or "0 hand", where 0 is a seat.

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const HOW = { duration: 200, easing: "ease-out" };
const MOST = 12; // cards that move at a time

/** Whether things may move between two steps. */
export const lively = () => !calm.matches && !document.hidden;

/** Make a change below a node, and move the cards of `moves` [{card, from, to, seat}, ...] from place to place. */
export function moved(root, moves, change) {
  const placeOf = (seat, place) => root.querySelector(`[data-place="${place}"], [data-place="${seat} ${place}"]`);
  const cardIn = (place, card) => place && [...place.querySelectorAll("[data-card]")].find((node) => node.dataset.card === card);
  const known = moves.filter(({ card }) => card).slice(0, MOST);
  const starts = known.map(({ seat, from, card }) => {
    const place = placeOf(seat, from);
    return (cardIn(place, card) ?? place)?.getBoundingClientRect();
  });
  change();
  known.forEach(({ seat, to, card }, at) => {
    const node = cardIn(placeOf(seat, to), card);
    const start = starts[at];
    if (!node || !start) return;
    const end = node.getBoundingClientRect();
    node.animate([{ transform: `translate(${start.x - end.x}px, ${start.y - end.y}px)` }, {}], HOW);
  });
}

/** Make a change below a node, and move its cards; a quick look at their boxes before it costs no layout. */
export function moving(root, change) {
  const before = cardsOf(root);
  change();
  const after = cardsOf(root);
  const there = new Set(after.map(({ node }) => node));
  const known = new Set(before.map(({ node }) => node));
  const gone = before.filter(({ node }) => !there.has(node));
  const came = after.filter(({ node }) => !known.has(node));
  const isAt = (one, other) => Math.abs(one.x - other.x) < 2 && Math.abs(one.y - other.y) < 2;
  for (const now of came) { // what has stayed at its place is no source
    const was = gone.find((card) => card.name === now.name && isAt(card.box, now.box));
    now.stays = Boolean(was);
    if (was) was.count -= now.count;
  }
  for (const now of came) {
    if (now.stays) continue;
    const from = gone.find((card) => card.name === now.name && card.count > 0);
    if (from) from.count -= now.count;
    if (from?.list === now.list) continue; // it only makes room
    const zoom = now.node.currentCSSZoom ?? 1; // boxes are measured without it, a translation is made with it
    const start = from ? { transform: `translate(${(from.box.x - now.box.x) / zoom}px, ${(from.box.y - now.box.y) / zoom}px)` } : { opacity: 0 };
    now.node.animate([start, {}], HOW);
  }
}

function cardsOf(root) {
  return [...root.querySelectorAll("[data-card]")].map((node) => {
    return { node, name: node.dataset.card, list: node.parentElement, count: Number(node.dataset.count ?? 1), box: node.getBoundingClientRect() };
  });
}
