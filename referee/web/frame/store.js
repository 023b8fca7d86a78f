// The state of the page, and the only function that changes it. It does not use the DOM, so it can be tested in node.
//
//   begin(kind)            the state before the match is known. `kind` is that of the source: file, server or seat
//   reduce(state, action)  the state after an action {type, ...}, or the same object if nothing changes
//
// States are frozen, except for the `Match`, which grows in place. `version` counts how often it has grown.
//   mode     file, record, live, seat (a person plays) or over (a person has played)
//   at, last the step that is shown, and the last step of the match
//   follows  `at` has moved because the match has grown
//   eyes, tab, playing, speed   chosen by the user
//   result   show the result before the end is reached
//   own      the person's seat
//   ask      {request, question}, or null
//   draft    the answer to `ask`: {picks, past, text, problem, told, sending}, or null. `picks` are indices of the
//            choices, `past` has the earlier picks for undo, and `text` is what the field shows. `problem` says what
//            is wrong with the text, and `told` is the problem that is shown, after the person tried to send an answer
//   answered the last request that was answered. A late event must not ask it again
//   paced    at a seat: the end of the own turn and the turns of the others are being shown step by step
//   hurry    there is little time left to answer, so the question is shown immediately
//   net      "", offline, moved or gone; `problem` is the sentence about it

import { readAnswer, written } from "./choices.js";

/** Speed in steps per second at which a person sees the turns of the others. */
export const PACE = 2.5;
const HURRY = 30; // seconds

export const SPEEDS = [0.5, 1, 2, 4, 8, 16, 32, 64]; // steps per second

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
  // --- events ----------------------------------------------------------------------------------
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
    if (header.outcome && match.left.size) known.at = Math.min(...match.left.values()); // start at the first disqualification
    return { ...known, ...placed({ ...state, ...known }, place) };
  },
  add(state, { match, lively }) {
    const follows = state.at === state.last || state.paced;
    if (state.mode === "seat" && lively && follows && !state.hurry && hasOthers(match, state)) {
      return { last: match.last, at: state.at, follows: true, playing: true, paced: true, version: state.version + 1 };
    }
    return { ...SKIPPED, last: match.last, at: follows ? match.last : state.at, follows, version: state.version + 1 };
  },
  over: (state) => ({ mode: state.kind === "seat" ? "over" : "record", version: state.version + 1, ask: null, draft: null }),
  ask(state, { request, question }) {
    if (request <= state.answered || (state.ask && !state.ask.again && request < state.ask.request)) return null;
    if (!question) return state.ask && { ask: null, draft: null };
    const isSame = state.ask?.request === request && JSON.stringify(state.ask.question) === JSON.stringify(question);
    if (isSame && !state.ask.again) return null; // keep the draft
    return { ask: { request, question }, draft: isSame ? state.draft : EMPTY };
  },
  again: (state) => ({ answered: -1, net: "", problem: "", ask: state.ask && { ...state.ask, again: true } }),
  net: (state, { net, problem = "" }) => ({ net, problem, ...(net === "moved" || net === "gone" ? { ask: null, draft: null } : {}) }),

  // --- the current step ------------------------------------------------------------------------
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
    const at = within(state, state.at + (state.paced ? 1 : steps)); // at a seat, no step is skipped
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

/** True if one of the next steps is not in the person's own turn. */
function hasOthers(match, { at, own }) {
  return match.steps.slice(at + 1).some(({ turn }) => !match.turns.get(turn)?.seats?.includes(own));
}

/** The last step up to which the page may reveal what happened. */
export function seenTo({ result, mode, at, last, paced }) {
  return paced ? at : result || mode === "live" || mode === "seat" ? last : at;
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

/** The panels in order. The title of `moments` is "How it turned". */
export const TABS = ["moments", "turns", "cards", "curves", "lines", "stderr"];

function drafted({ draft, ask }, change) {
  const changed = draft && change(draft, ask.question);
  return changed ? { draft: Object.freeze({ ...draft, ...changed }) } : null;
}
