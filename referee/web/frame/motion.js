// Cards that move: those that a step says it moved. A card has `data-card`, its name; a place has
// `data-place`, such as "supply" or "0 hand", where 0 is a seat.

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const HOW = { duration: 200, easing: "ease-out" };
const MOST = 12; // cards that move at a time

/** True if animations are allowed and visible. */
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
