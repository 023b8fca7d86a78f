// A person's seat: whose turn it is, messages, and the question with buttons and an input field.
//
// The field shows the picks the way you type them in a terminal: as numbers, keys, or beginnings of names. If a
// drawing has its own `ask`, it shows the question as well. They all change the same draft (`answer.js`).

import { Answer } from "./answer.js";
import { capital, doing, numbered, waits } from "./choices.js";
import { clock } from "./live.js";
import { el, plain, remember, remembered } from "./kit.js";
import { endOf } from "./verdict.js";

const MOST_TOLD = 200; // sentences to keep

/** The seat. */
export class Seat {
  #app;
  #ask = null; // the question that the panel shows
  #draft = null;
  #status = ""; // the last text, and whether there was a question
  #shown = null; // the question that the drawing shows
  #hadFocus = false; // when the last answer was sent
  #timer = 0; // updates the clock
  #news = []; // sentences that the table does not show yet

  constructor(app) {
    this.#app = app;
    this.answer = new Answer(app, (doubt) => this.#sure(doubt));
    this.status = el("p", { class: "seat-status", role: "status" });
    this.problem = el("p", { class: "problem", role: "alert" });
    this.clock = el("p", { class: "seat-clock", role: "timer" });
    this.told = el("div", { class: "seat-told", role: "log", tabindex: "0", "aria-label": "What happened" });
    this.question = el("div", { class: "seat-question" });
    this.leave = el("button", { class: "small", hidden: true, onclick: () => this.#leave(), title: "Leave the match" }, "Leave");
    this.back = el("button", { class: "button text", hidden: true, onclick: () => app.act("last") }, "Back to the question");
    const { again } = app.root.dataset;
    this.again = again && el("form", { method: "post", action: again, hidden: true }, el("button", { class: "button text main" }, "Play again, with the seats changed"));
    this.field = el("input", { class: "seat-field", id: "seat-field", autocomplete: "off", spellcheck: "false", enterkeyhint: "send", "aria-describedby": "seat-hint", oninput: () => app.dispatch({ type: "write", text: this.field.value }) });
    this.form = el("form", { class: "seat-form", hidden: true, onsubmit: (event) => this.#submit(event) }, el("label", { for: "seat-field" }, "Your answer"), this.field, el("button", { class: "button text" }, "Send"));
    this.element = el("section", { class: "seat-panel", "aria-label": "Your seat" }, el("div", { class: "seat-head" }, this.status, this.clock, this.leave), this.back, this.problem, this.again, this.told, this.form);
    this.after = this.question; // shown below the table
    this.doubt = el("p", { id: "seat-doubt" });
    this.check = el("input", { type: "checkbox", checked: remembered("doubts") !== "off", onchange: () => remember("doubts", this.check.checked ? "on" : "off") });
    this.dialog = el(
      "dialog",
      { class: "dialog", "aria-labelledby": "seat-doubt" },
      this.doubt,
      el("label", { class: "switch" }, this.check, " Ask before such a move"),
      el("form", { method: "dialog" }, el("button", { class: "button text", value: "yes", autofocus: true }, "Do it"), " ", el("button", { class: "button text", value: "no" }, "Back")),
    );
    this.element.append(this.dialog);
    this.listen = (event) => this.#key(event);
    document.addEventListener("keydown", this.listen, true);
    this.update();
  }

  // --- events ------------------------------------------------------------------------------------

  onEvent(event) {
    const { type, problem, request, question } = event;
    if (type === "told") this.#tell(event.lines);
    else if (type === "time") this.#time(event.seconds);
    else if (type === "question") this.#app.dispatch({ type: "ask", request, question });
    else if (type === "again") {
      this.told.replaceChildren();
      this.#app.dispatch({ type });
    } else this.#app.dispatch({ type: "net", net: type === "online" ? "" : type, problem });
  }

  // Show the time left for the answer. null means that it is not running.
  #time(seconds) {
    clearInterval(this.#timer);
    const end = performance.now() + 1000 * seconds;
    const show = () => {
      const left = (end - performance.now()) / 1000;
      this.clock.textContent = seconds === null ? "" : `${clock(left)} left`;
      this.#app.dispatch({ type: "time", seconds: seconds === null ? null : left });
    };
    show();
    if (seconds !== null) this.#timer = setInterval(show, 1000);
  }

  #tell(lines) {
    this.#news.push(...lines.filter(Boolean));
    this.#announce();
  }

  // Tell what happened, but not before the table shows it.
  #announce() {
    if (!this.#news.length || this.#app.state.paced) return;
    this.told.append(...this.#news.splice(0).map((line) => el("p", null, line)));
    while (this.told.children.length > MOST_TOLD) this.told.firstChild.remove();
    this.told.scrollTop = this.told.scrollHeight;
  }

  // Return [text of the status, true if the seat can be taken back].
  #statusOf({ net, problem, mode, ask, match, own, paced }) {
    if (net === "gone") return [problem];
    if (net === "moved") return [problem, true];
    if (mode === "over") return [this.#ended(match.header.outcome, own)];
    if (paced) return ["The others play; a key skips it."];
    if (ask) return [[ask.question.title && `${ask.question.title}.`, ask.question.text].filter(Boolean).join(" ")];
    return [match ? "The others play." : "Waiting for the match to begin."];
  }

  #ended(outcome, seat) {
    const { scores, why } = outcome;
    return `The match is over. You ${endOf(outcome, seat) || "lost"}, ${scores[seat]} to ${scores.filter((_, other) => other !== seat).join(" and ")} (${why}). All of it can be looked at now, hidden cards too.`;
  }

  // --- the question ------------------------------------------------------------------------------

  /** Show the state. The drawing only asks while the table shows the newest step. */
  update() {
    const { state } = this.#app;
    const { ask, draft, mode, net } = state;
    const [text, isTaken] = this.#statusOf(state);
    const isOver = mode === "over" || net === "gone";
    if (this.#status !== text + Boolean(ask)) {
      this.#status = text + Boolean(ask);
      this.status.replaceChildren(plain(text), ...(isTaken ? [" ", el("button", { class: "button text", onclick: () => this.#app.source.take() }, "Play here")] : []));
      if (state.match) document.title = (ask ? "● " : "") + this.#app.title;
    }
    this.told.hidden = isOver;
    this.#announce();
    if (this.again) this.again.hidden = !isOver;
    const problem = plain(net === "offline" ? state.problem : draft?.told ?? "");
    if (this.problem.textContent !== problem) this.problem.textContent = problem;
    if (ask?.request !== this.#ask?.request || ask?.question !== this.#ask?.question) this.#build(ask?.question);
    this.#ask = ask;
    this.element.dataset.asked = isOver ? "over" : ask ? ask.request : "";
    this.#show(draft);
    this.#question(state);
  }

  #question({ match, at, last, ask, draft, paced }) {
    const question = match && at === last && ask && !draft.sending ? ask.question : null;
    this.back.hidden = !ask || at === last || paced;
    if (question === this.#shown) return;
    this.#shown = question;
    const { table } = this.#app;
    table.ask(question, this.answer);
    if (question) {
      scrollTo(0, 0);
      table.element.scrollTop = 0;
    }
  }

  // Show the draft in the field, in the list and on the table.
  #show(draft) {
    if (draft === this.#draft) return;
    const isSending = draft?.sending && !this.#draft?.sending;
    if (isSending) this.#hadFocus = [this.question, this.form].some((part) => part.contains(document.activeElement));
    this.#draft = draft;
    if (!draft) return;
    if (this.field.value !== draft.text) this.field.value = draft.text;
    this.buttons.forEach((item, at) => {
      if (waits(this.#ask.question, this.numbers[at])) item.firstChild.setAttribute("aria-pressed", String(draft.picks.includes(this.numbers[at])));
    });
    if (this.#shown) this.#app.table.picked();
  }

  /** Called when the drawing was created again. */
  remounted() {
    this.#shown = null;
    this.update();
  }

  #build(asked) {
    const { question } = this;
    this.dialog.close();
    this.leave.hidden = !asked;
    if (!asked) {
      this.form.hidden = true;
      question.replaceChildren();
      return;
    }
    const { least, most, enter, columns } = asked;
    const count = most === 1 ? "" : least === most ? `Choose ${most}. ` : `Choose up to ${most}. `;
    const hint = el("p", { class: "dim", id: "seat-hint" }, `${count}Numbers, or names with - for a space; several with a space between them. Then Enter${enter ? `; Enter alone: ${enter}` : ""}.`);
    const those = numbered(asked);
    this.numbers = those.map(({ index }) => index);
    this.buttons = those.map((choice, at) => {
      const why = choice.barred && ` ${choice.barred}`;
      return el("li", null, el("button", { class: "seat-choice", title: choice.cells.map((cell, column) => (columns[column + 1] ? `${columns[column + 1]}: ${cell}` : cell)).join("; "), "aria-disabled": choice.barred ? "true" : null, onclick: () => this.answer.pick(choice.index) }, el("span", { class: "dim" }, `${at + 1} `), doing(asked, [choice.index]), why && el("span", { class: "dim" }, why)));
    });
    const keys = asked.choices.map((choice, index) => ({ ...choice, index })).filter((choice) => choice.key);
    const phrases = (list) => list.map(({ label, text }) => el("div", null, el("dt", { class: "dim" }, label), el("dd", null, text)));
    const list = [
      el("ul", { class: "seat-choices" }, this.buttons),
      el("div", { class: "seat-keys" }, keys.map((choice) => el("button", { class: "button text", onclick: () => this.answer.pick(choice.index) }, choice.name === choice.key ? choice.name : `${doing(asked, [choice.index])} (${choice.key})`)), enter && el("button", { type: "button", class: "button text", onclick: () => this.answer.send([]) }, capital(enter))),
      el("dl", { class: "seat-facts" }, phrases(asked.state), phrases(asked.remarks)),
      asked.help.length > 0 && el("details", null, el("summary", null, "Help"), asked.help.map((text) => el("p", null, text))),
    ];
    this.list = el(
      "details",
      { class: "seat-list", open: !this.#app.table.asks, ontoggle: () => {
        this.form.hidden = !this.list.open;
      } },
      el("summary", null, "Answer by numbers or from a list"),
      hint,
      list,
    );
    question.replaceChildren(this.list);
    if (this.#hadFocus) this.#focus();
    this.#hadFocus = false;
  }

  #submit(event) {
    event.preventDefault();
    const { ask, draft } = this.#app.state;
    if (draft?.problem) this.#app.dispatch({ type: "keep", request: ask.request, problem: draft.problem });
    else this.answer.send();
  }

  #focus() {
    this.list.open = true;
    this.form.hidden = false;
    this.field.focus();
  }

  #leave() {
    if (confirm("Leave the match? The others play on.")) this.answer.send(null);
  }

  /** Ask for confirmation of a move that looks like a mistake. Resolves to true if it is meant. */
  #sure(text) {
    if (!this.check.checked) return true;
    this.doubt.textContent = text;
    this.dialog.returnValue = "";
    this.dialog.showModal();
    return new Promise((done) => this.dialog.addEventListener("close", () => done(this.dialog.returnValue === "yes"), { once: true }));
  }

  // Keys typed outside of fields: digits go to the field, Enter sends, and Backspace removes the last pick.
  #key(event) {
    const { ask, paced } = this.#app.state;
    if (paced) this.#app.dispatch({ type: "skip" });
    if (!ask || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    const { target, key } = event;
    if (document.querySelector("dialog[open]") || target.closest("input, select, textarea, canvas")) return;
    const own = ask.question.choices.some((choice) => choice.key === key);
    if (/^\d$/.test(key) || own) this.#focus(); // the key is then typed into the field
    else if (key === "Backspace") this.answer.undo();
    else if (key === "Enter" && !target.closest("button, a, summary")) this.form.requestSubmit();
    else return;
    event.stopPropagation();
    if (key === "Enter") event.preventDefault();
  }

  close() {
    clearInterval(this.#timer);
    document.removeEventListener("keydown", this.listen, true);
  }
}
