/** Says that something took longer than it may. */
export class TookTooLong extends Error {
  constructor(what: string, milliseconds: number) {
    super(`${what} took longer than ${milliseconds} ms`);
  }
}

/**
 * The same promise, but rejected once so many milliseconds have passed. What it stands for is not stopped.
 * @throws TookTooLong
 */
export function bounded<Value>(promise: Promise<Value>, milliseconds: number, what: string): Promise<Value> {
  return new Promise((resolve, reject) => {
    // A reply that came while this process was busy is read before the time is up.
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
