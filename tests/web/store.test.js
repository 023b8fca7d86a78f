// Tests of the page's state in node. test_store.py runs them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Answer } from "./answer.js";
import { Match } from "./data.js";
import { areasOf } from "./lead.js";
import { begin, reduce, seenTo } from "./store.js";
import { asYou } from "./text.js";
import { endOf, resultOf, verdictOf } from "./verdict.js";

const CHOICES = [{ name: "copper" }, { name: "silver" }, { name: "end", key: "e" }];
const question = { title: "", text: "Which?", least: 1, most: 2, repeats: false, choices: CHOICES };
const header = { kind: "live", outcome: null, viewers: ["all", "public", "0"], seats: [{ id: "player1", name: "A" }, { id: "player2", name: "B" }], series: [], rules: {} };
const step = (turn) => ({ turn });
const turn = (number) => ({ turn: number, first: 0, last: 0, title: "", seats: [0], show: [] });

function matchOf(turns, about = header) {
  return new Match({ header: { ...about }, turns: turns.map(turn), steps: turns.map(step) });
}

function after(state, ...actions) {
  return actions.reduce((now, action) => {
    const next = reduce(now, action);
    assert(Object.isFrozen(next));
    return next;
  }, state);
}

const reset = (match, more) => ({ type: "reset", match, ...more });
const ask = (request, asked = question) => ({ type: "ask", request, question: asked });
const pick = (...picks) => ({ type: "pick", picks });

function grow(match, ...turns) {
  match.add({ steps: turns.map(step), turns: turns.map(turn) });
  return { type: "add", match };
}

test("a mode follows from the source and the header", () => {
  const over = { ...header, kind: "record", outcome: { winners: [0] } };
  for (const [kind, about, mode] of [["file", over, "file"], ["file", header, "file"], ["server", header, "live"], ["server", over, "record"], ["seat", header, "seat"], ["seat", over, "over"]]) {
    assert.equal(after(begin(kind), reset(matchOf([1], about))).mode, mode);
  }
});

test("a live page follows, and stays while one is back in time", () => {
  const match = matchOf([1, 1, 2]);
  const live = after(begin("server"), reset(match));
  assert.equal(live.at, 2);
  const grown = after(live, grow(match, 2, 3));
  assert.deepEqual([grown.at, grown.last, grown.follows], [4, 4, true]);
  const back = after(grown, { type: "go", to: 1 }, grow(match, 3));
  assert.deepEqual([back.at, back.last, back.follows], [1, 5, false]);
  const other = after(back, reset(matchOf([1, 2, 2, 3])));
  assert.equal(other.at, 0); // same turn, but it has other steps now
  assert.equal(after(grown, reset(matchOf([1, 2]))).at, 1);
});

test("a reset in the middle of a draft keeps it", () => {
  const state = after(begin("seat"), reset(matchOf([1])), ask(4), pick(1), reset(matchOf([1, 2])));
  assert.deepEqual(state.draft.picks, [1]);
  assert.equal(state.ask.request, 4);
  const restarted = after(state, { type: "again" }, reset(matchOf([1])), ask(4));
  assert.deepEqual(restarted.draft.picks, [1]);
  assert.deepEqual(after(state, { type: "again" }, ask(2)).draft.picks, []);
});

test("a question that comes twice, or after the next one, changes nothing", () => {
  const state = after(begin("seat"), reset(matchOf([1])), ask(4), pick(0));
  assert.equal(after(state, ask(4)), state);
  assert.equal(after(state, ask(3)), state);
  assert.equal(after(state, ask(3, null)), state);
  const sent = after(state, { type: "send", request: 4 }, { type: "answered", request: 4 });
  assert.deepEqual([sent.ask, sent.draft], [null, null]);
  assert.equal(after(sent, ask(4)), sent);
  const next = after(state, { type: "send", request: 4 }, ask(5), { type: "answered", request: 4 });
  assert.deepEqual([next.ask.request, next.draft.sending], [5, false]); // question 5 came before the response
  assert.equal(after(next, { type: "keep", request: 4, problem: "late" }), next);
});

test("the table, the field and undo change one draft", () => {
  const asked = after(begin("seat"), reset(matchOf([1])), ask(1));
  const mixed = after(asked, pick(0), { type: "write", text: "1 silv" });
  assert.deepEqual([mixed.draft.picks, mixed.draft.text], [[0, 1], "1 silv"]);
  const wrong = after(mixed, { type: "write", text: "9" });
  assert.deepEqual([wrong.draft.picks, wrong.draft.problem], [[], "There is no 9 here."]);
  const back = after(mixed, { type: "undo" });
  assert.deepEqual([back.draft.picks, back.draft.text], [[0], "1 "]);
  assert.deepEqual(after(back, { type: "undo" }).draft.picks, []);
  assert.equal(after(asked, { type: "undo" }), asked);
});

test("at a seat the end closes the question, and so does a tab that moved", () => {
  const state = after(begin("seat"), reset(matchOf([1])), ask(1), pick(0));
  const over = after(state, { type: "over" });
  assert.deepEqual([over.mode, over.ask, over.draft], ["over", null, null]);
  const moved = after(state, { type: "net", net: "moved", problem: "elsewhere" });
  assert.deepEqual([moved.net, moved.ask, moved.draft, moved.mode], ["moved", null, null, "seat"]);
  const again = after(moved, { type: "again" }, ask(1));
  assert.deepEqual([again.net, again.ask.request], ["", 1]);
  const offline = after(state, { type: "net", net: "offline", problem: "away" });
  assert.deepEqual(offline.draft.picks, [0]);
});

test("at a seat the turns of others are paced, unless there is no time", () => {
  const others = (...turns) => turns.map((number) => ({ ...turn(number), seats: [number % 2 ? 0 : 1] }));
  const paced = (lively, ...actions) => {
    const match = new Match({ header: { ...header }, turns: others(1), steps: [step(1)] });
    const shown = after(begin("seat"), reset(match, { own: 0 }), ...actions);
    match.add({ steps: [1, 2, 2, 3].map(step), turns: others(1, 2, 3) });
    return after(shown, { type: "add", match, lively });
  };
  const { at, playing, last } = paced(true);
  assert.deepEqual([at, playing, last], [0, true, 4]); // from the end of the own turn
  const ticks = (count) => Array.from({ length: count }, () => ({ type: "tick", steps: 2 })); // late, but nothing is skipped
  assert.equal(after(paced(true), ...ticks(3)).paced, true);
  const ended = after(paced(true), ...ticks(4));
  assert.deepEqual([ended.at, ended.playing, ended.paced], [4, false, false]);
  assert.equal(after(paced(true), { type: "skip" }).at, 4);
  assert.equal(after(paced(true), { type: "time", seconds: 29 }).at, 4);
  assert.equal(paced(true, { type: "time", seconds: 29 }).at, 4);
  assert.equal(paced(false).at, 4);
});

test("it plays to the end and stops there", () => {
  const state = after(begin("file"), reset(matchOf([1, 1, 2, 3])), { type: "play", on: true }, { type: "tick", steps: 2 });
  assert.deepEqual([state.at, state.playing], [2, true]);
  const end = after(state, { type: "tick", steps: 4 });
  assert.deepEqual([end.at, end.playing], [3, false]);
  assert.equal(after(end, { type: "play", on: true }).at, 0);
  assert.equal(after(state, { type: "go", to: 9 }).playing, false);
});

test("an address leads to what exists", () => {
  const place = { turn: 2, step: 9, eyes: "public", tab: "lines" };
  const state = after(begin("file"), reset(matchOf([1, 2, 2, 3]), { place }));
  assert.deepEqual([state.at, state.eyes, state.tab], [2, "public", "lines"]);
  const odd = after(state, { type: "place", place: { eyes: "9", tab: "no" } });
  assert.deepEqual([odd.at, odd.eyes, odd.tab], [2, "public", "lines"]);
});

test("a pick that ends the turn can be undone before it is sent", async () => {
  const sent = [];
  const buys = { title: "", text: "Which?", least: 1, most: 1, repeats: false, ends: [0, 1], doubts: {}, choices: [...CHOICES.slice(0, 2), { name: "moat" }] };
  const app = {
    state: after(begin("seat"), reset(matchOf([1])), ask(1, buys)),
    dispatch: (action) => (app.state = reduce(app.state, action)),
    source: { answer: async (request, picks) => sent.push([request, picks]) },
  };
  const answer = new Answer(app, () => true);
  for (const index of [0, 1]) answer.pick(index);
  assert.deepEqual([answer.picks, sent], [[1], []]);
  for (const picks of [[0], []]) {
    answer.undo();
    assert.deepEqual([answer.picks, sent], [picks, []]);
  }
  answer.pick(1);
  await answer.send();
  app.dispatch(ask(2, buys));
  answer.pick(2); // the turn continues after this pick
  assert.deepEqual(sent, [[1, [1]], [2, [2]]]);
});

test("the lead of a long match is drawn in few parts", () => {
  const series = [{ name: "points", unit: "" }];
  const leads = (length) => {
    const steps = Array.from({ length }, (_, at) => ({ turn: 1, values: { points: [at % 7, 0] } }));
    return areasOf(new Match({ header: { ...header, series }, turns: [], steps }), length - 1);
  };
  assert.deepEqual(leads(3), [["M1 0V-1H2V0ZM2 0V-2H2V0Z", ""], 2]);
  const [[path], most] = leads(3000);
  assert(path.split("M").length <= 252);
  assert.equal(most, 6);
});

test("the verdict names the winners first, and a score only if it explains the result", () => {
  globalThis.Node = class Node {};
  globalThis.document = { createElement: () => Object.assign(new Node(), { text: "", style: { setProperty() {} }, setAttribute() {}, append(child) { this.text += child.text ?? child; } }) };
  const seat = (index) => ({ colour: "", glyph: "abcd"[index], name: "ABCD"[index], isYou: index === 3 });
  const text = (parts) => parts.map((part) => part.text ?? part).join("");
  const said = (winners, scores, ranks = scores.map((own) => 1 + scores.filter((other) => other > own).length)) => {
    const [who, points] = resultOf({ winners, scores, ranks }, seat);
    return `${text(who).replaceAll(/[a-d](?=[A-D])/g, "")}|${text(points)}`;
  };
  assert.equal(said([1], [37, 43]), "B wins|43 to 37");
  assert.equal(said([0], [5, 3, 4]), "A wins|5 to c 4, b 3");
  assert.equal(said([0], [4, 4]), "A wins|"); // fewer turns, or the other one was disqualified
  assert.equal(said([0], [-2, 31]), "A wins|"); // the other one was disqualified
  assert.equal(said([0], [71, -7]), "A wins|71 to −7");
  assert.equal(said([0, 1], [1, 1]), "A draw|1 to 1");
  assert.equal(said([0, 2], [4, 1, 4]), "A and C share the win|4 to b 1");
  assert.equal(said([0, 1, 2], [4, 4, 4, 1]), "A, B and C share the win|4 to d 1");
  assert.equal(said([3], [1, 1, 1, 2]), "D win|2 to a 1, b 1, c 1");
  assert.equal(said([2], [1, 3, 5], [2, 3, 1]), "C wins|5 to a 1, b 3"); // B has left
  assert.equal(said([], [0, 0]), "Nobody won|");
  const decided = { kind: "decided", turn: 1, seat: 3, before: [1, 1] };
  const told = (line, seats = [3]) => {
    const outcome = { winners: [0], scores: [1, 0, 0, 0], ranks: [1, 2, 2, 2], why: "" };
    const match = { header: { outcome }, turned: [{ ...decided }], turns: new Map([[1, { line, seats, scores: [2, 1] }]]), left: new Map() };
    return text(verdictOf(match, seat).reasons).replaceAll(/[a-d](?=[A-D])/g, "");
  };
  assert.match(told(["passes"], [1]), /it: B passes \(/); // the player whose turn it was, and not the winner
  assert.match(told([{ seat: 0 }, " plays 1; ", { seat: 1 }, " plays 2"], [0, 1]), /it: A plays 1; B plays 2 \(/);
  assert.match(told(["plays ", { card: "x", count: 1 }, "; passes"]), /it: D play x; pass /);
  assert.match(told(["hits ", { seat: 0 }, " so it passes; moves; ", { seat: 1 }, " loses; wins; ", { seat: 3 }, " rests ", { card: "y" }, "; waits"]), /it: D hit A so it passes; move; B loses; wins; D rest y; wait /);
});

test("only one winner has won; several have drawn", () => {
  const ends = (winners) => [0, 1, 2].map((seat) => endOf({ winners }, seat));
  assert.deepEqual(ends([1]), ["", "won", ""]);
  assert.deepEqual(ends([0, 2]), ["drew", "", "drew"]);
  assert.deepEqual(ends([]), ["", "", ""]);
});

test("sentences about the person use the second person", () => {
  const said = { " plays silver": " play silver", "trashes ": "trash ", " has the turn": " have the turn", "gains gold; buys nothing with 1": "gain gold; buy nothing with 1", "passes": "pass", "is disqualified": "are disqualified", "attacks bases": "attack bases", "takes the lead": "take the lead", "longest think": "longest think" };
  for (const [before, after] of Object.entries(said)) assert.equal(asYou(before), after);
});

test("a turn that is still being shown is not told anywhere else", () => {
  const state = { result: true, mode: "seat", at: 3, last: 9 };
  assert.equal(seenTo({ ...state, paced: true }), 3);
  assert.equal(seenTo({ ...state, paced: false }), 9);
});
