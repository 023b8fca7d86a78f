// Cards that move: each from where such a card was before a step to where it is after it. What can
// move has `data-card`, its name, and `data-count` if it is several.

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether things may move between two steps. */
export const lively = () => !calm.matches && !document.hidden;

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
    now.node.animate([start, {}], { duration: 200, easing: "ease-out" });
  }
}

function cardsOf(root) {
  return [...root.querySelectorAll("[data-card]")].map((node) => {
    return { node, name: node.dataset.card, list: node.parentElement, count: Number(node.dataset.count ?? 1), box: node.getBoundingClientRect() };
  });
}
