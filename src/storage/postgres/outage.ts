/** Knows whether the database is away, and looks every moment whether it is back. */
export class Outage {
  readonly #probe: () => Promise<unknown>;
  readonly #delay: number;
  #failure: unknown;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param delay Milliseconds between two looks. */
  constructor(probe: () => Promise<unknown>, delay: number) {
    this.#probe = probe;
    this.#delay = delay;
  }

  /** Why the database is away, or undefined when it is not. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Notes that it is away. */
  begin(failure: unknown): void {
    this.#failure = failure;
    if (this.#closed || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.#look(), this.#delay).unref();
  }

  /** Notes that it is back. */
  end(): void {
    this.#failure = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    try {
      await this.#probe();
      this.end();
    } catch (error) {
      this.#timer = undefined;
      this.begin(error);
    }
  }
}
