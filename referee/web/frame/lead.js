// The leader and its margin, as areas along the steps of a match.

import { svg } from "./kit.js";

const HIGH = 100; // height of the picture in SVG units
const MOST = 250; // maximum number of steps to draw. With more, several would share a pixel

/** Return [the seat that leads, its margin over the second]. The seat is -1 if the best are tied. */
export function leadOf(numbers) {
  const [first, second] = [...numbers].sort((one, other) => other - one);
  return first > second ? [numbers.indexOf(first), first - second] : [-1, 0];
}

/** Compute the leads up to a step. Returns [a path per seat in steps and points, the largest lead]. If there are two
 *  seats, the lead of the second one points down. */
export function areasOf(match, to) {
  const count = match.header.seats.length;
  const paths = match.header.seats.map(() => "");
  let [most, from, numbers] = [1, 0, undefined];
  const close = (at) => {
    if (!numbers) return;
    const [leader, lead] = leadOf(numbers);
    most = Math.max(most, lead);
    if (leader >= 0) paths[leader] += `M${from} 0V${count === 2 && leader ? lead : -lead}H${at}V0Z`;
  };
  const by = Math.max(Math.ceil(match.last / MOST), 1);
  for (let at = 0; at <= to; at += by) {
    const now = match.pointsAt(at);
    if (now === numbers || now?.length < 2) continue;
    close(at);
    [from, numbers] = [at, now];
  }
  close(to);
  return [paths, most];
}

/** The chart of leads. */
export class Lead {
  element = svg("svg", { class: "lead", preserveAspectRatio: "none", "aria-hidden": "true" });

  /** Update to a match, up to a step. */
  draw(match, seat, to) {
    const [paths, most] = areasOf(match, to);
    const top = paths.length === 2 ? HIGH / 2 : HIGH;
    const scale = `translate(0 ${top}) scale(1 ${(0.96 * top) / most})`;
    this.element.setAttribute("viewBox", `0 0 ${Math.max(match.last, 1)} ${HIGH}`);
    this.element.replaceChildren(
      svg("path", { class: "even", d: `M0 ${top}H${match.last}` }),
      svg("g", { transform: scale }, paths.map((d, index) => d && svg("path", { d, style: { fill: seat(index).colour } }))),
    );
  }
}
