// The state of the page, and the only function that changes it. It has no DOM: node tests it.
//
//   begin(kind)            the state before the match is known; `kind` of its source: file, server, seat
//   reduce(state, action)  the state after an action {type, ...}; the same object if nothing changes
//
// A state is frozen. Its match is a `Match`, which grows in place: `version` counts how often it grew.
//   mode     file, record, live, seat (a person plays) or over (a person has played)
//   at, last the step that is shown, and the last one there is; follows: `at` moved because the match grew
//   eyes, tab, playing, speed   as chosen
//   result   whether the result is shown before the end is reached
//   own      the person's seat
//   ask      {request, question}, or null
//   draft    the answer to it: {picks, past, text, problem, told, sending}, or null. `past` has the picks before
//            each change, `text` is what the field shows, `picks` are indices of the question's
//            choices, `problem` is what is wrong with the text, and `told` what is shown of it
//   answered the last request that was answered: what comes late must not open it again
//   paced    at a seat, the turns of the others are being played, one step after the other
//   hurry    there is little time left for the answer: the question is shown at once
//   net      "", offline, moved or gone; problem: its sentence

import { readAnswer, written } from "./choices.js";

/** Steps a second at which a person at a seat sees the turns of the others. */
export const PACE = 2.5;
const HURRY = 30; // seconds

export const SPEEDS = [0.5, 1, 2, 4, 8, 16, 32, 64]; // steps a second

export function begin(kind) {
  return Object.freeze({
    kind, mode: kind, match: null, version: 0, at: 0, last: -1, follows: false, eyes: "all", tab: "",
    playing: false, paced: false, hurry: false, speed: 2, result: true, own: null, ask: null, draft: null, answered: -1, net: "", problem: "",
  });
}

export function reduce(state, action) {
  const change = CHANGES[action.type](state, action);
  return change ? Object.freeze({ ...state, follows: false, ...change }) : state;
}

const CHANGES = {
  // --- what comes ------------------------------------------------------------------------------
  reset(state, { match, own = null, place = {} }) {
    const { header, last } = match;
    const before = state.match;
    const mode = modeOf(state.kind, header);
    const isLive = header.kind === "live" && !header.outcome;
    const follows = before ? state.at === state.last : isLive;
    let at = follows ? last : Math.min(state.at, last);
    const turn = before && !follows ? before.steps[state.at].turn : undefined;
    if (turn !== undefined && match.steps[at].turn !== turn) at = match.stepOf({ turn }) ?? at;
    const anew = before?.header.viewers.length === 1 || mode === "over" || !header.viewers.includes(state.eyes);
    const known = { ...SKIPPED, match, mode, at, last, own, eyes: anew ? header.viewers[0] : state.eyes, version: state.version + 1 };
    if (mode === "over") Object.assign(known, { ask: null, draft: null });
    if (before) return known;
    if (header.outcome && match.left.size) known.at = Math.min(...match.left.values()); // a disqualified match opens at the fault
    return { ...known, ...placed({ ...state, ...known }, place) };
  },
  add(state, { match, lively }) {
    const follows = state.at === state.last || state.paced;
    const first = state.mode === "seat" && lively && follows && !state.hurry && othersFrom(match, state);
    if (first) return { last: match.last, at: first - 1, follows: true, playing: true, paced: true, version: state.version + 1 };
    return { ...SKIPPED, last: match.last, at: follows ? match.last : state.at, follows, version: state.version + 1 };
  },
  over: (state) => ({ mode: state.kind === "seat" ? "over" : "record", version: state.version + 1, ask: null, draft: null }),
  ask(state, { request, question }) {
    if (request <= state.answered || (state.ask && !state.ask.again && request < state.ask.request)) return null;
    if (!question) return state.ask && { ask: null, draft: null };
    const isSame = state.ask?.request === request && JSON.stringify(state.ask.question) === JSON.stringify(question);
    if (isSame && !state.ask.again) return null; // the draft stays
    return { ask: { request, question }, draft: isSame ? state.draft : EMPTY };
  },
  again: (state) => ({ answered: -1, net: "", problem: "", ask: state.ask && { ...state.ask, again: true } }),
  net: (state, { net, problem = "" }) => ({ net, problem, ...(net === "moved" || net === "gone" ? { ask: null, draft: null } : {}) }),

  // --- where one is ----------------------------------------------------------------------------
  go: (state, { to }) => ({ playing: false, paced: false, at: within(state, to) }),
  skip: (state) => (state.paced ? { ...SKIPPED, at: state.last } : null),
  time(state, { seconds }) {
    const hurry = seconds !== null && seconds < HURRY;
    return hurry === state.hurry ? null : { hurry, ...(hurry && state.paced ? { ...SKIPPED, at: state.last } : {}) };
  },
  place: (state, { place }) => placed(state, place),
  look: (state, { eyes }) => (state.match.header.viewers.includes(eyes) ? { eyes } : null),
  tab: (state, { tab }) => ({ tab }),
  play: (state, { on }) => ({ playing: on, at: on && state.at === state.last ? 0 : state.at }),
  tick(state, { steps }) {
    const at = within(state, state.at + steps);
    return { at, playing: at < state.last, paced: state.paced && at < state.last };
  },
  speed: (state, { speed }) => ({ speed }),
  result: (state, { on }) => ({ result: on }),

  // --- a person's answer -----------------------------------------------------------------------
  pick: (state, { picks }) => drafted(state, (draft, question) => ({ picks, past: [...draft.past, draft.picks], text: written(question, picks), problem: "", told: "" })),
  undo: (state) => drafted(state, ({ past }, question) => past.length > 0 && { picks: past.at(-1), past: past.slice(0, -1), text: written(question, past.at(-1)), problem: "", told: "" }),
  write: (state, { text }) => drafted(state, (draft, question) => {
    const read = readAnswer(question, text);
    return typeof read === "string" ? { text, problem: read, told: "", picks: [] } : { text, problem: "", told: "", picks: read, past: [...draft.past, draft.picks] };
  }),
  send: (state, { request }) => (state.ask?.request === request ? drafted(state, () => ({ sending: true, told: "" })) : null),
  keep: (state, { request, problem = "" }) => (state.ask?.request === request ? drafted(state, () => ({ sending: false, told: problem })) : null),
  answered(state, { request }) {
    const open = state.ask?.request === request ? { ask: null, draft: null } : {};
    return { answered: Math.max(state.answered, request), ...open };
  },
};

const EMPTY = Object.freeze({ picks: [], past: [], text: "", problem: "", told: "", sending: false });

const SKIPPED = { playing: false, paced: false };

/** The first step after the one shown that is of a turn of others; 0: none. */
function othersFrom(match, { at, own }) {
  for (let step = at + 1; step <= match.last; step++) {
    if (!(match.turns.get(match.steps[step].turn)?.seats ?? []).includes(own)) return step;
  }
  return 0;
}

/** The last step of which the page may say how it ended. */
export function seenTo({ result, mode, at, last }) {
  return result || mode === "live" || mode === "seat" ? last : at;
}

function modeOf(kind, header) {
  if (kind === "seat") return header.outcome ? "over" : "seat";
  return kind === "server" && header.kind === "live" && !header.outcome ? "live" : kind === "server" ? "record" : kind;
}

function within({ last }, step) {
  return Math.min(Math.max(step, 0), last);
}

function placed({ match, eyes, tab, at }, place) {
  return {
    at: match.stepOf(place) ?? at,
    eyes: match.header.viewers.includes(place.eyes) ? place.eyes : eyes,
    tab: TABS.includes(place.tab) ? place.tab : tab,
  };
}

/** The panels in their order; `moments` is called "How it turned". */
export const TABS = ["moments", "turns", "cards", "curves", "lines", "stderr"];

function drafted({ draft, ask }, change) {
  const changed = draft && change(draft, ask.question);
  return changed ? { draft: Object.freeze({ ...draft, ...changed }) } : null;
}
