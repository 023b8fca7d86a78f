// The matches that are in the file of a page.

/** The JSON in base64 of deflate-raw. */
async function unpack(text) {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).json();
}

/** The headers of all matches in this file. */
export function inlineHeaders() {
  const found = [];
  for (let node; (node = document.getElementById(`header-${found.length}`)); ) found.push(JSON.parse(node.textContent));
  return found;
}

/** A match that is in this file. */
export function inlineSource(index) {
  const read = (part) => document.getElementById(`${part}-${index}`).textContent;
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
