// What a person can pick in a question, and how that is written in a field. No DOM.

/** The choices that have a number, which is their place here + 1: all without a key. */
export function numbered({ choices }) {
  return choices.map((choice, index) => ({ ...choice, index })).filter((choice) => !choice.key);
}

/** What stands in a field, numbers, keys, names or their beginnings: indices of choices, or a sentence. */
export function readAnswer(question, text) {
  const { choices, repeats } = question;
  const those = numbered(question);
  const picks = [];
  for (const word of text.toLowerCase().split(/[\s,]+/).filter(Boolean)) {
    const key = choices.findIndex((choice) => choice.key === word);
    const named = those.filter(({ name }) => name.toLowerCase() === word);
    const like = named.length ? named : those.filter(({ name }) => name.toLowerCase().startsWith(word));
    const names = [...new Set(like.map(({ name }) => name))];
    if (key >= 0) picks.push(key);
    else if (/^\d+$/.test(word)) {
      if (!those[word - 1]) return `There is no ${word} here.`;
      picks.push(those[word - 1].index);
    } else if (names.length > 1) return `"${word}" can be ${names.join(" or ")}.`;
    else {
      const free = like.find(({ index }) => repeats || !picks.includes(index));
      if (!free) return `"${word}" is no choice here.`;
      picks.push(free.index);
    }
  }
  return picks;
}

/** Picks as a field has them. */
export function written(question, picks) {
  const places = new Map(numbered(question).map(({ index }, place) => [index, place + 1]));
  return picks.map((pick) => `${places.get(pick) ?? question.choices[pick].key} `).join(""); // more can be typed
}

/** What picks do, in words: "Buy duchy for 5". */
export function doing({ choices }, picks) {
  const things = picks.map((pick) => choices[pick].thing || choices[pick].name);
  return capital(`${choices[picks[0]].verb} ${things.join(", ")}`.trim());
}

/** A text that begins with a capital letter. */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Whether a choice is not sent when it is picked: others can be picked with it, or it ends the turn. */
export function waits({ choices, most, ends }, index) {
  return !choices[index].key && (most > 1 || ends.includes(index));
}

/** The picks after a choice was picked: one more, or one less if it was there and counts once. */
export function toggled({ repeats, most }, picks, index) {
  if (most === 1) return picks.includes(index) ? [] : [index];
  if (!repeats && picks.includes(index)) return picks.filter((pick) => pick !== index);
  return picks.length < most ? [...picks, index] : picks;
}
