// How a match ended: who won, by how much, and what decided it.

import { capital } from "./choices.js";
import { numeral, sign, tag } from "./kit.js";
import { change, does, sentenceOf } from "./text.js";

const joined = (items) => items.flatMap((item, at) => [at === 0 ? "" : at === items.length - 1 ? " and " : ", ", item]);

/** Return [the winners, their scores and those of the others], as nodes: "A wins" and "43 to 37". Several others have their glyphs, in the
 *  order of their ranks: "43 to ● 37, ■ 40". */
export function resultOf({ winners, scores, ranks }, seat) {
  if (!winners.length) return [["Nobody won"], []];
  const others = [...scores.keys()].filter((index) => !winners.includes(index)).sort((one, other) => ranks[one] - ranks[other]);
  const best = scores[winners[0]];
  const named = others.flatMap((index, at) => [at ? ", " : " to ", ...(scores.length > 2 ? [sign(seat(index)), " "] : []), numeral(scores[index])]);
  // A player who is not ahead on points won for another reason, so points would confuse.
  const points = !others.length || others.some((index) => scores[index] >= best) ? [] : [numeral(best), ...named];
  if (winners.length === 1) return [does(seat(winners[0]), "wins"), points];
  if (!others.length) return [["A draw"], scores.flatMap((each) => [" to ", numeral(each)]).slice(1)];
  return [[...joined(winners.map((index) => tag(seat(index)))), " share the win"], points];
}

/** "won" or "drew" for a seat that is among the winners, as in tables of results; else "". */
export const endOf = ({ winners }, seat) => winners.includes(seat) ? (winners.length > 1 ? "drew" : "won") : "";

/** Why the seat was disqualified at a step: its detail and the bot's own last words, as nodes. null if no seat was. */
export function lossAt(match, at, seat) {
  const step = match.steps[at];
  const mark = step?.marks?.find(({ kind }) => kind === "disqualified");
  if (typeof mark?.seat !== "number") return null;
  const { show = [] } = match.turns.get(step.ends || step.turn) ?? {};
  const { name } = seat(mark.seat);
  const from = show.findIndex(({ label, text }) => label === "disqualified" && text.startsWith(name) && text.endsWith(mark.detail)) + 1;
  const raw = from ? show.slice(from) : [];
  const end = raw.findIndex(({ style }) => style !== "raw");
  const said = raw.slice(0, end < 0 ? raw.length : end).map(({ text }) => text.trim()).findLast(Boolean);
  return { said: [...does(seat(mark.seat), "is disqualified"), `: ${mark.detail || mark.code}`], words: said ? `Its last words: ${said}` : "" };
}

/** {title, reasons} of a match that is over, as nodes. */
export function verdictOf(match, seat) {
  const { outcome, outcome: { scores, why } } = match.header;
  const decided = match.turned.findLast(({ kind }) => kind === "decided");
  const turn = decided && match.turns.get(decided.turn);
  const loss = outcome.winners.length === 1 ? [...match.left.values()].map((at) => lossAt(match, at, seat)).findLast(Boolean) : null;
  const ending = loss?.words ? [...loss.said, ". ", loss.words] : loss?.said;
  const own = scores.findIndex((_, index) => seat(index).isYou);
  const deciding = turn?.line.length && [`Turn ${decided.turn} decided it: `, ...sentenceOf(turn, (index) => tag(seat(index)), own), `${change(decided.before, turn.scores)}.`];
  const [who, points] = resultOf(outcome, seat);
  return { title: points.length ? [...who, ", ", ...points, ` ${match.curve}`] : who, reasons: [`${scores.some((_, index) => why.startsWith(seat(index).name)) ? why : capital(why)}. `, ...(ending || deciding || [])].flat() };
}
