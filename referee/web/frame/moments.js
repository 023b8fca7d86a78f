// The moments of a match: faults and the end, new leads, the longest think, the turn that decided it.
//
// A lead counts from where it is gained, if it lasts until each seat has had a turn. The turn that
// decided the match is the one in which the winner gained most on the others, from the turn in which
// it took the lead for good. It has to gain more than a quarter of the last margin: where a match is
// won by small steps, no turn decided it.

/** Moments in the order of their steps: {at, ends, kind, seat, code, section, detail}. */
export function momentsOf(match) {
  const { values, order, first } = match;
  const found = [...match.marked];
  const curve = match.decisive;
  const ends = order.map((_, place) => (place + 1 < order.length ? first.get(order[place + 1]) - 1 : match.last));
  const numbers = ends.map((at) => values[at]?.[curve]).filter((row) => row?.length > 1);
  if (numbers.length === ends.length) found.push(...leads(match, curve, ends, numbers));
  if (match.thought.longest) found.push(match.thought.longest);
  return found.sort((one, other) => one.at - other.at);
}

const margin = (row, seat) => row[seat] - Math.max(...row.filter((_, other) => other !== seat));

function leads({ order, first, values, header, turns }, curve, ends, numbers) {
  const found = [];
  // What the seat did in the turn, and the numbers before and after it.
  const told = (place, seat) => {
    const { show = [], seats = [] } = turns.get(order[place]) ?? {};
    const { label, text } = (seats[1] ? show[seat] : show.find(({ style }) => style && style !== "dim")) ?? {};
    const change = header.seats.map(({ name }, at) => `${name} ${numbers[place - 1]?.[at] ?? 0} to ${numbers[place][at]}`);
    return `${text ? `${label} ${text.replace(/ \(.*?\)/g, "")}; ` : ""}${curve}: ${change.join(", ")}`;
  };
  let leader = -1;
  let taken = 0; // the turn in which it took the lead
  const leaders = numbers.map((row) => row.findIndex((_, seat) => margin(row, seat) > 0));
  leaders.forEach((now, place) => {
    const next = leaders.slice(place, place + header.seats.length);
    if (now < 0 || now === leader || next.some((other) => other >= 0 && other !== now)) return;
    let at = first.get(order[place]);
    while (at < ends[place] && !(margin(values[at][curve], now) > 0)) at++;
    if (leader >= 0) found.push({ at, kind: "lead", seat: now, detail: told(place, now) });
    [leader, taken] = [now, place];
  });
  const [winner, ...others] = header.outcome?.winners ?? [];
  if (winner === leader && !others.length) {
    const above = numbers.map((row) => row.map((number) => Math.max(number, 0))); // more than all of it is not worth more
    const gains = above.map((row, place) => margin(row, winner) - margin(above[place - 1] ?? row, winner));
    const most = Math.max(...gains.slice(taken));
    const place = gains.indexOf(most, taken);
    if (4 * most > margin(above.at(-1), winner)) found.push({ at: first.get(order[place]), kind: "decided", seat: winner, detail: told(place, winner) });
  }
  return found;
}

/** The longest think after one more step: {longest, before}; `before` is the last step that has a time. */
export function thought({ longest, before }, step, at) {
  if (typeof step.time !== "number") return { longest, before };
  const time = before ? step.time - before.time : 0;
  if (time <= (longest?.time ?? 0.1)) return { longest, before: step };
  const seat = before.seats?.length === 1 ? before.seats[0] : null;
  return { longest: { at, ends: step.ends, kind: "think", seat, detail: `${time.toFixed(2)} s`, time }, before: step };
}
