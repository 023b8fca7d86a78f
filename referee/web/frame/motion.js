// Animates the cards that moved in a step. Cards have their name in `data-card`. Places have a `data-place` such as
// "supply", or "0 hand" for the hand of seat 0.

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const HOW = { duration: 200, easing: "ease-out" };
const MOST = 12; // maximum number of cards to animate

/** True if animations are allowed and visible. */
export const lively = () => !calm.matches && !document.hidden;

/** Make a change to a node, and animate the cards of `moves` [{card, from, to, seat}, ...]. */
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
