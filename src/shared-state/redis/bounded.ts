/** Thrown when something exceeds its time limit. */
export class TookTooLong extends Error {
  constructor(what: string, milliseconds: number) {
    super(`${what} took longer than ${milliseconds} ms`);
  }
}

/**
 * The same promise, rejected after a number of milliseconds. The work itself is not stopped.
 * @throws TookTooLong
 */
export function bounded<Value>(promise: Promise<Value>, milliseconds: number, what: string): Promise<Value> {
  return new Promise((resolve, reject) => {
    // Lets a reply that arrived while this process was busy be read first.
    const giveUp = () => setImmediate(() => reject(new TookTooLong(what, milliseconds)));
    const timer = setTimeout(giveUp, milliseconds);
    promise.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (reason: unknown) => {
        clearTimeout(timer);
        reject(reason);
      },
    );
  });
}
