/** Milliseconds between two looks at the file. */
const period = 150;

/** Reads a number that other connections change by committing, and this one does not. */
export type ReadDataVersion = () => Promise<bigint>;

/** Notices when another process has committed to a SQLite file. */
export class ChangeWatch {
  readonly #read: ReadDataVersion;
  readonly #onChange: () => void;
  readonly #timer: NodeJS.Timeout;
  #version: bigint | undefined;
  #isReading = false;

  /** @param onChange Called after each commit of another process, once for those of one period. */
  constructor(read: ReadDataVersion, onChange: () => void) {
    this.#read = read;
    this.#onChange = onChange;
    this.#timer = setInterval(() => void this.#look(), period).unref();
    void this.#look();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Never fails: a database that does not answer is looked at again. */
  async #look(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      const version = await this.#read();
      const isChanged = this.#version !== undefined && this.#version !== version;
      this.#version = version;
      if (isChanged) this.#onChange();
    } catch {
      // Others report that the database is away.
    } finally {
      this.#isReading = false;
    }
  }
}
