// Draws the sums of a toy match as bars, and the cards that were turned. People name a number with a button.

export const zones = () => [{ name: "whole", label: "Drawing" }];

export function mount({ whole: root }, header, kit) {
  const bars = kit.el("ul", { class: "toy-bars" });
  const cards = kit.el("p");
  const asked = kit.el("p");
  root.replaceChildren(bars, cards, asked);

  function bar(score, index, most) {
    const { colour, name } = kit.seat(index);
    const style = { "--share": score / Math.max(most, 1), "--seat": colour };
    return kit.el("li", { style }, `${name}: ${score}`);
  }

  return {
    draw({ view }) {
      const most = Math.max(...view.scores);
      bars.replaceChildren(...view.scores.map((score, index) => bar(score, index, most)));
      cards.textContent = view.turned.length ? `Turned: ${view.turned.join(", ")}` : "";
    },
    ask(question, answer) {
      const buttons = question.choices.map(({ name }, index) => {
        return kit.el("button", { type: "button", onclick: () => answer([index]) }, name);
      });
      asked.replaceChildren(...buttons);
    },
    unmount() {
      root.replaceChildren();
    },
  };
}
