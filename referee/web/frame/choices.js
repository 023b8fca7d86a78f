// The choices of a question, and their text form in the input field. No DOM.

/** The choices that can be chosen by number (index + 1), which are those without a key. */
export function numbered({ choices }) {
  return choices.map((choice, index) => ({ ...choice, index })).filter((choice) => !choice.key);
}

/** Parse the field: numbers, keys, names or prefixes. Returns indices of choices, or a problem as a sentence. */
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

/** Format picks as text for the field. */
export function written(question, picks) {
  const places = new Map(numbered(question).map(({ index }, place) => [index, place + 1]));
  return picks.map((pick) => `${places.get(pick) ?? question.choices[pick].key} `).join(""); // the space lets people type more
}

/** Describe picks: "Buy duchy for 5". */
export function doing({ choices }, picks) {
  const things = picks.map((pick) => choices[pick].thing || choices[pick].name);
  return capital(`${choices[picks[0]].verb} ${things.join(", ")}`.trim());
}

/** Capitalise the first letter. */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** True if a pick is not sent immediately, because more picks are possible or it ends the turn. */
export function waits({ choices, most, ends }, index) {
  return !choices[index].key && (most > 1 || ends.includes(index));
}

/** Add a pick, or remove it if it was picked already and cannot be repeated. */
export function toggled({ repeats, most }, picks, index) {
  if (most === 1) return picks.includes(index) ? [] : [index];
  if (!repeats && picks.includes(index)) return picks.filter((pick) => pick !== index);
  return picks.length < most ? [...picks, index] : picks;
}
