// The data of a match page, from referee/web/data.py. Modules use it as `Page.Header`, in comments alone.

declare namespace Page {
// generated: page types
  interface Ended {
    reason: string;
    why: string;
    winners: number[];
    scores: number[];
    ranks: number[];
  }
  interface Header {
    format: string;
    version: number;
    kind: string;
    game: string;
    title: string;
    source: string;
    seats: SeatHeader[];
    options: Record<string, any>;
    limits: Record<string, any>;
    seed: number | null;
    command: string;
    date: string;
    outcome: Ended | null;
    problem: string;
    tournaments: string[];
    digest: string;
    hidden: string;
    viewers: string[];
    series: Record<string, string>[];
    facts: Record<string, any>;
    rules: Record<string, Rule>;
    omitted: string;
    heard: number | null;
    asked: number[] | null;
  }
  interface Mark {
    kind: string;
    seat: number | null;
    code: string;
    section: string;
    detail: string;
  }
  interface Moment {
    kind: string;
    turn: number;
    at: number;
    seat?: number | null;
    before?: number[];
    seconds?: number;
  }
  interface Move {
    seat: number;
    from: string;
    to: string;
    card?: string;
    count?: number;
  }
  interface Now {
    seat: number | null;
    counters: Counter[];
    did: (string | SaidCard | SaidSeat)[];
    played: string[];
    got: string[];
  }
  interface Phrase {
    label: string;
    text: string;
    style: string;
  }
  interface Picture {
    rows: string[];
    styles: string[][];
  }
  interface Rule {
    kind: string;
    section: string;
    title: string;
    text: string;
  }
  interface SaidCard {
    card: string;
    count?: number;
    name?: string;
  }
  interface SaidSeat {
    seat: number;
  }
  interface SeatHeader {
    id: string;
    name: string;
    bot: string;
  }
  interface Step {
    turn: number;
    lines: [number, number];
    seats?: number[];
    set?: Record<string, Record<string, any>>;
    now?: Record<string, Now>;
    moves?: Record<string, Move[]>;
    values?: Record<string, number[]>;
    marks?: Mark[];
    time?: number | null;
    ends?: number;
  }
  interface TurnText {
    turn: number;
    first: number;
    last: number;
    title: string;
    seats: number[];
    line: (string | SaidCard | SaidSeat)[];
    scores: number[] | null;
    show: (Phrase | Picture)[];
  }
  type Counter = [name: string, value: number | null];
  type Line = [kind: string, seat: number | null, text: string];

// end
}
