/** Knows whether the database is away, and checks at intervals whether it is back. */
export class Outage {
  readonly #probe: () => Promise<unknown>;
  readonly #delay: number;
  #failure: unknown;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /**
   * @param probe Resolves when the database accepts writes.
   * @param delay Milliseconds between two checks.
   */
  constructor(probe: () => Promise<unknown>, delay: number) {
    this.#probe = probe;
    this.#delay = delay;
  }

  /** Why the database is away; undefined if it is not. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Notes that the database is away. */
  begin(failure: unknown): void {
    this.#failure = failure;
    if (this.#closed || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.#check(), this.#delay).unref();
  }

  /** Notes that the database is back. */
  end(): void {
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Ends the checks. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #check(): Promise<void> {
    try {
      await this.#probe();
      this.end();
    } catch (error) {
      this.#timer = undefined;
      this.begin(error);
    }
  }
}
