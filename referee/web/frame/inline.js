// Matches inside the HTML file, or in a script beside it. Pages opened from disk cannot fetch other files, but they
// can load a script. This script puts the texts of the matches into a list MATCHES.

/** Decode JSON from base64 of deflate-raw. */
async function unpack(text) {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).json();
}

function textOf(part, index) {
  return globalThis.MATCHES ? globalThis.MATCHES[index]?.[part] : document.getElementById(`${part}-${index}`)?.textContent;
}

/** The headers of all matches in the file. */
export function inlineHeaders() {
  const found = [];
  for (let text; (text = textOf("header", found.length)); ) found.push(JSON.parse(text));
  return found;
}

/** Create a source that reads a match in this file. */
export function inlineSource(index) {
  const read = (part) => textOf(part, index);
  return {
    kind: "file",
    async open(onChange) {
      const header = JSON.parse(read("header"));
      onChange({ type: "reset", header, ...(await unpack(read("steps"))) });
    },
    lines: () => unpack(read("lines")),
    close() {},
  };
}
