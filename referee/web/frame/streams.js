// A browser has six connections per HTTP/1.1 server, shared by all tabs. Tabs with
// streams would starve the next tab. So only some tabs have a stream, and the others poll.

const MOST = 4;

/** Reserve a stream. Returns a function that releases it, or null if all are taken.
 *  A page without the Web Locks API (from another machine, without TLS) always gets a stream. */
export async function place() {
  if (!navigator.locks) return () => {};
  for (let number = 0; number < MOST; number++) {
    const free = await new Promise((done) => {
      const held = (lock) => (lock ? new Promise((end) => done(end)) : done(null));
      navigator.locks.request(`stream-${number}`, { ifAvailable: true }, held);
    });
    if (free) return free;
  }
  return null;
}
