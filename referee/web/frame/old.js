// Support for drawings of the first contract (spec/page-data.md, 2). They have a single zone, which scrolls.

/** Wrap a module that has no `contract`, so that it follows the second contract. */
export function inOneZone({ mount }) {
  return {
    zones: () => [{ name: "whole", label: "Drawing" }],
    mount({ whole }, header, kit) {
      const game = mount(whole, header, kit);
      let last = null; // the last frame that was drawn
      let width = 0;
      const draw = (frame) => {
        last = frame;
        width ||= whole.clientWidth;
        const { view, before, isMoving, eyes, step, marks, seats, ended } = frame;
        game.draw(view, before, { eyes, width, step, marks, seats, ended, moves: isMoving });
      };
      const watcher = new ResizeObserver(() => {
        const isSame = width === whole.clientWidth;
        width = whole.clientWidth;
        if (last && width && !isSame) draw(last);
      });
      watcher.observe(whole);
      const unmount = () => {
        watcher.disconnect();
        game.unmount?.();
      };
      return { ...game, draw, unmount };
    },
  };
}
