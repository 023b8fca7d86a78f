// Converts text of the referee and lines of bots to elements.

import { el, numeral, tag } from "./kit.js";

function inline(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part, index) => {
    if (index % 2 === 0) return part.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
    return part[0] === "`" ? el("code", null, part.slice(1, -1)) : el("strong", null, part.slice(2, -2));
  });
}

/** Create elements from Markdown: paragraphs, lists, tables as text, `code` and fenced code. */
export function markdown(text) {
  const made = [];
  for (const [index, part] of text.split(/^```.*$/m).entries()) {
    if (index % 2) {
      made.push(el("pre", null, part.replace(/^\n|\n$/g, "")));
      continue;
    }
    for (const block of part.split(/\n\s*\n/)) {
      if (!block.trim()) continue;
      if (/^\s*\|/.test(block)) {
        made.push(el("pre", null, block.trim()));
        continue;
      }
      const [before, ...items] = block.split(/^\s*(?:[-*]|\d+\.) /m);
      if (before.trim()) made.push(el("p", null, inline(before.trim())));
      if (items.length) made.push(el("ul", null, items.map((item) => el("li", null, inline(item.trim())))));
    }
  }
  return made;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g;

// Format each value, with numbers as written. Short values stay on one line.
function layOut(tokens, indent, columns) {
  const token = tokens[tokens.at++];
  if (token !== "{" && token !== "[") return token;
  const close = token === "{" ? "}" : "]";
  const items = [];
  while (tokens[tokens.at] !== close) {
    if (tokens[tokens.at] === ",") tokens.at++;
    let item = "";
    if (close === "}") {
      item = tokens[tokens.at] + ": ";
      tokens.at += 2;
    }
    items.push(item + layOut(tokens, indent + "  ", columns));
  }
  tokens.at++;
  const short = items.join(", ");
  if (short.length + indent.length < columns && !short.includes("\n")) return token + short + close;
  return `${token}\n${items.map((item) => indent + "  " + item).join(",\n")}\n${indent}${close}`;
}

/** Indent JSON for a width in columns. Other text is returned unchanged. */
export function pretty(text, columns) {
  try {
    JSON.parse(text);
    const tokens = text.match(TOKEN);
    tokens.at = 0;
    return layOut(tokens, "", columns);
  } catch {
    return text; // not JSON, or nested too deeply to be read by people
  }
}

/** Turn "plays silver; has no cards" into what follows "You": "play silver; have no cards". `first` and `later` say which verbs to turn: the one at
 *  the start, and those after a semicolon. */
export function asYou(text, first = true, later = true) {
  const plural = { has: "have", is: "are", does: "do", was: "were" };
  return text.replace(/(^ ?|; )([a-z]+s)\b/g, (all, before, verb) => ((before === "; " ? later : first) ? before + (plural[verb] ?? verb.replace(/(?<=(?:ch|sh|ss|x|zz))es$|(?<!s)s$/, "")) : all));
}

/** How scores changed: " (3 : 3 → 3 : 9)". */
export const change = (before, after) => ` (${[before, after].map((scores) => scores?.map(numeral).join("\u00a0:\u00a0")).join(" → ")})`;

/** Create [the label of a seat, " wins"] from "wins": "A wins", "You win". */
export function does(seat, words) {
  return [tag(seat), ` ${seat.isYou ? asYou(words) : words}`];
}

/** Create a sentence from text, or from a list of text, cards {card, count, name} and players {seat}. `show` renders cards and players, and `you` is
 *  the seat that is called "You". If the list follows the label of a seat, `subject` is that seat. */
export function sentence(parts, show, you = -1, subject) {
  if (typeof parts === "string") return parts;
  const joined = [];
  for (const part of parts) {
    if (typeof part === "string" && typeof joined.at(-1) === "string") joined.push(joined.pop() + part);
    else joined.push(part);
  }
  let who = subject; // whose verbs follow a semicolon
  return joined.map((part, at) => {
    const before = at ? joined[at - 1] : { seat: subject };
    if (!at || before.endsWith?.("; ")) who = part.seat ?? who;
    if (typeof part === "string") return asYou(part, before.seat === you, who === you);
    if (part.card === undefined) return at && part.seat === you && show(you) === "You" ? "you" : show(part.seat);
    return el("span", { class: "of-card" }, part.count > 1 ? `${part.count} ` : "", part.name ?? part.card);
  });
}

/** Create a sentence from the line of a turn, with the player whose turn it was. */
export function sentenceOf({ seats, line }, show, you) {
  const isNamed = seats.length !== 1 || line[0]?.seat === seats[0];
  return sentence(isNamed ? line : [{ seat: seats[0] }, " ", ...line], show, you);
}

/** Create the description of a turn: labelled phrases, and pictures of characters. */
export function shown(items, withPictures) {
  return items.map((item) => {
    if (!item.rows) {
      return el(
        "p",
        { class: `phrase is-${item.style || "plain"}` },
        item.label && [el("span", { class: "label" }, item.label), " "],
        el("span", { class: "what" }, item.text),
      );
    }
    return withPictures && el("pre", { class: "picture", tabindex: "0" }, item.rows.map((row, y) => picture(row, item.styles?.[y])));
  });
}

function picture(row, styles) {
  if (!styles?.length) return row + "\n";
  const made = [];
  const letters = [...row];
  for (let from = 0; from < letters.length; ) {
    let to = from + 1;
    while (to < letters.length && styles[to] === styles[from]) to++;
    const run = letters.slice(from, to).join("");
    made.push(styles[from] ? el("span", { class: `is-${styles[from]}` }, run) : run);
    from = to;
  }
  return [made, "\n"];
}
