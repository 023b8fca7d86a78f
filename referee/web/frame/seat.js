// A person's seat: whose turn it is, what is told, and the question as buttons and as a field.
//
// The field has what is chosen, as at the terminal: numbers, keys, names or their beginnings. The
// buttons write into it, so that clicks and keys can be mixed. A drawing that has an `ask` of its
// own shows the question as well.

import { el, plain, remember, remembered } from "./kit.js";

const MOST_TOLD = 200; // sentences that are kept
const MOST_DENSE = 3; // levels of room that is saved

/** The seat. */
export class Seat {
  #app;
  #request = 0;
  #question = null;
  #shown = null; // the question that the drawing shows
  #sending = null; // the request whose answer is on its way

  constructor(app) {
    this.#app = app;
    this.status = el("p", { class: "seat-status", role: "status" });
    this.problem = el("p", { class: "problem", role: "alert" });
    this.told = el("div", { class: "seat-told", role: "log", tabindex: "0", "aria-label": "What happened" });
    this.question = el("div", { class: "seat-question" });
    this.leave = el("button", { type: "button", class: "small", hidden: true, onclick: () => this.#leave(), title: "Leave the match" }, "Leave");
    this.back = el("button", { type: "button", class: "button text", hidden: true, onclick: () => app.act("last") }, "Back to the question");
    this.field = el("input", { class: "seat-field", id: "seat-field", autocomplete: "off", spellcheck: "false", enterkeyhint: "send", "aria-describedby": "seat-hint", oninput: () => this.#mark() });
    this.form = el("form", { class: "seat-form", hidden: true, onsubmit: (event) => this.#submit(event) }, el("label", { for: "seat-field" }, "Your answer"), this.field, el("button", { class: "button text" }, "Send"));
    this.element = el("section", { class: "seat-panel", "aria-label": "Your seat" }, el("div", { class: "seat-head" }, this.status, this.leave), this.back, this.problem, this.told, this.form);
    this.after = this.question; // it stands below the table
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
    this.fit = () => this.#fit();
    app.table.place.addEventListener("click", this.fit); // a pick can add buttons
    addEventListener("resize", this.fit);
    this.listen = (event) => this.#key(event);
    document.addEventListener("keydown", this.listen, true);
    this.#state("Waiting for the match to begin.");
  }

  // --- what comes --------------------------------------------------------------------------------

  onEvent(event) {
    if (event.type === "again") this.told.replaceChildren();
    else if (event.type === "told") this.#tell(event.lines);
    else if (event.type === "question") this.#ask(event.request, event.question);
    else if (event.type === "offline") this.#problem(event.problem);
    else if (event.type === "online") this.#problem("");
    else if (event.type === "moved") this.#moved(event.problem);
    else if (event.type === "gone") this.#over(event.problem);
  }

  /** The match is over. */
  end(header, seat) {
    const { winners, scores, reason } = header.outcome;
    const won = winners.includes(seat) ? (winners.length > 1 ? "You share the first place" : "You won") : winners.length ? "You lost" : "Nobody won";
    this.#over(`The match is over. ${won}, ${scores[seat]} to ${scores.filter((_, other) => other !== seat).join(" and ")} (${reason}). All of it can be looked at now, hidden cards too.`);
  }

  #over(text) {
    this.#ask(this.#request, null);
    this.told.hidden = true;
    this.#state(text);
    this.element.dataset.asked = "over";
  }

  #tell(lines) {
    for (const line of lines) if (line) this.told.append(el("p", null, line));
    while (this.told.children.length > MOST_TOLD) this.told.firstChild.remove();
    this.told.scrollTop = this.told.scrollHeight;
  }

  #moved(problem) {
    this.#ask(this.#request, null);
    this.#state("");
    this.status.replaceChildren(problem, " ", el("button", { type: "button", class: "button text", onclick: () => this.#app.source.take() }, "Play here"));
  }

  #state(text) {
    this.status.textContent = plain(text);
    const mark = this.#question ? "● " : "";
    if (this.#app.match) document.title = mark + plain(this.#app.match.header.title);
  }

  #problem(text) {
    if (this.problem.textContent !== text) this.problem.textContent = plain(text);
  }

  // --- the question ------------------------------------------------------------------------------

  #ask(request, question) {
    this.#request = request;
    this.#question = question;
    this.dialog.close();
    this.#state(question ? [question.title && `${question.title}.`, question.text].filter(Boolean).join(" ") : "The others play.");
    this.leave.hidden = !question;
    this.element.dataset.asked = question ? request : "";
    this.#build();
    this.update();
    if (question && this.hadFocus) this.#focus();
    if (question) this.hadFocus = false;
  }

  /** The drawing asks where the newest state is shown, and nowhere else. */
  update() {
    const { match, step } = this.#app;
    const question = match && step === match.last ? this.#question : null;
    this.back.hidden = !this.#question || Boolean(question);
    if (question === this.#shown) return;
    this.#shown = question;
    const { table } = this.#app;
    table.ask(question, (picks) => this.#send(picks, true));
    if (question) {
      scrollTo(0, 0);
      table.element.scrollTop = 0;
    }
    this.#fit();
  }

  /** Leave out what is not needed to answer, step by step, until all buttons are in sight. */
  #fit() {
    const { place } = this.#app.table;
    const isHidden = (button) => {
      const { x, width, bottom } = button.getBoundingClientRect();
      return !button.contains(document.elementFromPoint(x + width / 2, bottom - 4));
    };
    delete place.dataset.dense;
    if (!this.#shown) return;
    for (let dense = 1; dense <= MOST_DENSE; dense++) {
      if (![...place.querySelectorAll("button:not([aria-disabled])")].some(isHidden)) return;
      place.dataset.dense = "d".repeat(dense);
    }
  }

  /** The drawing was made anew. */
  remounted() {
    this.#shown = null;
    this.update();
  }

  /** Whether a question is open. */
  get asks() {
    return Boolean(this.#question);
  }

  get #numbered() {
    return this.#question.choices.map((choice, index) => ({ ...choice, index })).filter((choice) => !choice.key);
  }

  #build() {
    const { question } = this;
    const asked = this.#question;
    this.field.value = "";
    if (!asked) {
      this.form.hidden = true;
      question.replaceChildren();
      return;
    }
    const { least, most, enter, columns } = asked;
    const count = most === 1 ? "" : least === most ? `Choose ${most}. ` : `Choose up to ${most}. `;
    const hint = el("p", { class: "dim", id: "seat-hint" }, `${count}Numbers or names with a space between them, then Enter${enter ? `; Enter alone: ${enter}` : ""}.`);
    this.buttons = this.#numbered.map((choice, at) => {
      const why = choice.barred && ` ${choice.barred}`;
      return el("li", null, el("button", { type: "button", class: "seat-choice", title: choice.cells.map((cell, column) => (columns[column + 1] ? `${columns[column + 1]}: ${cell}` : cell)).join("; "), "aria-disabled": choice.barred ? "true" : null, onclick: () => this.#toggle(at) }, el("span", { class: "dim" }, `${at + 1} `), choice.name, why && el("span", { class: "dim" }, why)));
    });
    const keys = asked.choices.map((choice, index) => ({ ...choice, index })).filter((choice) => choice.key);
    const phrases = (list) => list.map(({ label, text }) => el("div", null, el("dt", { class: "dim" }, label), el("dd", null, text)));
    const table = (view) => el("details", null, el("summary", null, view.name), el("div", { class: "wide", tabindex: "0" }, el("table", null, el("thead", null, el("tr", null, view.columns.map((name) => el("th", { scope: "col" }, name)))), el("tbody", null, view.rows.map((row) => el("tr", null, row.map((cell) => el("td", null, cell))))))));
    const list = [
      el("ul", { class: "seat-choices" }, this.buttons),
      el("div", { class: "seat-keys" }, keys.map((choice) => el("button", { type: "button", class: "button text", onclick: () => this.#send([choice.index]) }, choice.name === choice.key ? choice.name : `${choice.name} (${choice.key})`)), enter && el("button", { type: "button", class: "button text", onclick: () => this.#send([]) }, enter)),
      el("dl", { class: "seat-facts" }, phrases(asked.state), phrases(asked.remarks)),
      asked.views.map(table),
      asked.help.length > 0 && el("details", null, el("summary", null, "Help"), asked.help.map((text) => el("p", null, text))),
    ];
    this.list = el(
      "details",
      { class: "seat-list", open: !this.#app.table.asks, ontoggle: () => {
        this.form.hidden = !this.list.open;
        this.#fit();
      } },
      el("summary", null, "Answer by numbers or from a list"),
      hint,
      list,
    );
    question.replaceChildren(this.list);
  }

  // What is in the field: indices, or a sentence.
  #read(text) {
    const words = text.toLowerCase().split(/[\s,]+/).filter(Boolean);
    const { choices, repeats } = this.#question;
    const numbered = this.#numbered;
    const picks = [];
    for (const word of words) {
      const key = choices.findIndex((choice) => choice.key === word);
      const named = numbered.filter(({ name }) => name.toLowerCase() === word);
      const like = named.length ? named : numbered.filter(({ name }) => name.toLowerCase().startsWith(word));
      if (key >= 0) picks.push(key);
      else if (/^\d+$/.test(word)) {
        if (!numbered[word - 1]) return `There is no ${word} here.`;
        picks.push(numbered[word - 1].index);
      } else if (new Set(like.map(({ name }) => name)).size > 1) return `"${word}" can be ${[...new Set(like.map(({ name }) => name))].join(" or ")}.`;
      else {
        const free = like.find(({ index }) => repeats || !picks.includes(index));
        if (!free) return `"${word}" is no choice here.`;
        picks.push(free.index);
      }
    }
    return picks;
  }

  #toggle(at) {
    const { most, repeats } = this.#question;
    const { index } = this.#numbered[at];
    if (most === 1) {
      this.#send([index]);
      return;
    }
    const words = this.field.value.split(/[\s,]+/).filter(Boolean);
    const chosen = words.indexOf(String(at + 1));
    if (chosen >= 0 && !repeats) words.splice(chosen, 1);
    else words.push(at + 1);
    this.field.value = words.join(" ");
    this.#mark();
  }

  #mark() {
    const picks = this.#read(this.field.value);
    const numbered = this.#numbered;
    this.buttons.forEach((item, at) => {
      const chosen = Array.isArray(picks) && picks.includes(numbered[at].index);
      if (this.#question.most > 1) item.firstChild.setAttribute("aria-pressed", String(chosen));
    });
  }

  #submit(event) {
    event.preventDefault();
    const picks = this.#read(this.field.value);
    if (typeof picks === "string") this.#problem(picks);
    else this.#send(picks);
  }

  #focus() {
    this.list.open = true;
    this.form.hidden = false;
    this.field.focus();
    this.#fit();
  }

  #leave() {
    if (confirm("Leave the match? The others play on.")) this.#send(null);
  }

  async #send(picks, drawn = false) {
    const [request, question] = [this.#request, this.#question];
    if (this.#sending === request) return; // the next question can come before the server's reply
    this.#sending = request;
    const doubt = picks && (picks.length ? picks : [-1]).map((pick) => question.doubts[pick]).find(Boolean);
    if (doubt && this.check.checked && !(await this.#sure(doubt))) {
      if (this.#sending === request) this.#sending = null;
      this.#shown = null;
      this.update();
      return;
    }
    this.hadFocus = !drawn && [this.question, this.form].some((part) => part.contains(document.activeElement));
    if (drawn) this.#shown = null; // it has taken the question away
    this.#problem("");
    try {
      await this.#app.source.answer(request, picks);
      if (this.#question === question) this.#ask(request, null);
    } catch (error) {
      this.#problem(error.message);
      this.update();
    } finally {
      if (this.#sending === request) this.#sending = null;
    }
  }

  /** Whether a move that may be a slip is meant. */
  #sure(text) {
    this.doubt.textContent = text;
    this.dialog.returnValue = "";
    this.dialog.showModal();
    return new Promise((done) => this.dialog.addEventListener("close", () => done(this.dialog.returnValue === "yes"), { once: true }));
  }

  // Keys outside of fields: digits go into the field, Enter sends, Backspace takes back.
  #key(event) {
    if (!this.#question || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    const { target, key } = event;
    if (document.querySelector("dialog[open]") || target.closest("input, select, textarea, button, a, summary, canvas")) return;
    const own = this.#question.choices.some((choice) => choice.key === key);
    if (/^\d$/.test(key) || key === "Backspace" || own) this.#focus(); // and the key goes there
    else if (key === "Enter") this.form.requestSubmit();
    else return;
    event.stopPropagation();
    if (key === "Enter") event.preventDefault();
  }

  close() {
    document.removeEventListener("keydown", this.listen, true);
    removeEventListener("resize", this.fit);
  }
}
