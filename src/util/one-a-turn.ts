/** Begins tasks one by one, each in its own turn of the event loop, so that everything else has its turn in between. */
export class OneATurn {
  readonly #waiting: (() => void)[] = [];
  readonly #onTurn = () => {
    const begin = this.#waiting.shift();
    if (this.#waiting.length > 0) setImmediate(this.#onTurn);
    begin?.();
  };

  /** Calls `begin` soon, which must not throw. */
  add(begin: () => void): void {
    if (this.#waiting.push(begin) === 1) setImmediate(this.#onTurn);
  }
}
