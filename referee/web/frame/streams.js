// A browser has six connections to a server over HTTP/1.1, for all its tabs together: tabs that hold
// streams would starve the next one. So some have a stream, and the others ask now and then.

const MOST = 4;

/** A place for a stream: a function that gives it back; null if all are taken.
 *  A page without locks (of another machine, without TLS) has a stream in any case. */
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
