// The place in a match as part of the address: "#turn=18&step=3&eyes=2&tab=lines".

/** Parse an address. Missing parts are undefined. */
export function readPlace(hash) {
  const read = new URLSearchParams(hash.replace(/^#/, ""));
  const number = (name) => (/^\d{1,9}$/.test(read.get(name) ?? "") ? Number(read.get(name)) : undefined);
  const eyes = read.get("eyes") ?? undefined;
  return {
    match: number("match"),
    turn: number("turn"),
    step: number("step"),
    eyes: /^[1-9]\d?$/.test(eyes ?? "") ? String(Number(eyes) - 1) : eyes,
    tab: read.get("tab") ?? undefined,
  };
}

/** Format the address of a place, without default values. */
export function writePlace({ match, turn, step, eyes, tab }) {
  const parts = [];
  if (match !== undefined) parts.push(`match=${match}`);
  if (turn !== undefined) parts.push(`turn=${turn}`);
  if (step > 1) parts.push(`step=${step}`);
  if (eyes) parts.push(`eyes=${/^\d+$/.test(eyes) ? Number(eyes) + 1 : eyes}`);
  if (tab) parts.push(`tab=${tab}`);
  return "#" + parts.join("&");
}

const PAUSE = 350; // ms. Browsers allow about 100 changes in 30 s

/** Update the address when the place changes, with a limited rate. */
export class Address {
  #wanted = null;
  #timer = 0;
  #written = -PAUSE;

  set(hash) {
    this.#wanted = hash;
    if (this.#timer) return;
    const wait = this.#written + PAUSE - performance.now();
    if (wait <= 0) this.flush();
    else this.#timer = setTimeout(() => this.flush(), wait);
  }

  flush() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    if (this.#wanted === null) return;
    try {
      if (this.#wanted !== location.hash) history.replaceState(history.state, "", this.#wanted);
    } catch {
      // A frame in a notebook has no address.
    }
    this.#wanted = null;
    this.#written = performance.now();
  }
}
