/** A value that is read again when it is asked for and has become old. One reading runs at a time. */
export class Refreshed<Value> {
  readonly #read: () => Promise<Value>;
  readonly #freshFor: number;
  readonly #clock: { now(): number };
  #value: Value | undefined;
  #reading: Promise<void> | undefined;
  #readAt: number | undefined;

  /** @param freshFor Milliseconds until it is old; a reading that failed is tried again as late. */
  constructor(read: () => Promise<Value>, freshFor: number, clock: { now(): number }) {
    this.#read = read;
    this.#freshFor = freshFor;
    this.#clock = clock;
  }

  /** What was read last, at once; undefined as long as nothing was. */
  get value(): Value | undefined {
    this.#refresh();
    return this.#value;
  }

  /** Resolves when it was read once, or could not be. Never fails. */
  async first(): Promise<void> {
    this.#refresh();
    if (this.#value === undefined) await this.#reading;
  }

  #refresh(): void {
    const now = this.#clock.now();
    if (this.#reading !== undefined) return;
    if (this.#readAt !== undefined && now - this.#readAt < this.#freshFor) return;
    this.#readAt = now;
    this.#reading = this.#read()
      .then(
        (value) => {
          this.#value = value;
        },
        () => {},
      )
      .finally(() => {
        this.#reading = undefined;
      });
  }
}
