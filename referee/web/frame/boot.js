// Entry point of a page in a file: a match, or a list of several.

import { inlineHeaders, inlineSource } from "./inline.js";
import { showList } from "./list.js";
import { start } from "./main.js";
import { readPlace } from "./place.js";
import { dressed } from "./theme.js";

/** Show the matches in this file. `drawings` is {name of the game: module}. */
export function boot(drawings) {
  const root = document.getElementById("page");
  dressed();
  const headers = inlineHeaders();
  if (headers.length === 1) {
    start(root, inlineSource(0), drawings[headers[0].game]);
    return;
  }
  let app = null;
  let shown = null;
  const follow = () => {
    const { match } = readPlace(location.hash);
    if (match === shown) return;
    app?.close();
    app = null;
    shown = match;
    const header = headers[match - 1];
    if (header) app = start(root, inlineSource(match - 1), drawings[header.game], match);
    else showList(root, headers);
  };
  addEventListener("hashchange", follow);
  follow();
}
