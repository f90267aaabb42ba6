import { HeadgateError } from '../../core/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CellStep, UsageCell, UsageRange, UsageStore } from '../../ports/usage.ts';

/** Sums of all accounts, and when they were read. */
export interface ReadCells {
  readonly cells: readonly UsageCell[];
  readonly readAt: number;
}

interface Kept {
  readonly reading: Promise<ReadCells>;
  /** Until when it is answered again; undefined while it is read. */
  freshUntil: number | undefined;
}

/** Milliseconds that an answer is given again for at least. */
const freshFor = 5_000;
/** An answer that took long is given for so many times as long, so that operators never keep the reports busy. */
const timesAsLong = 10;
/** Answers kept at once, and cells of one. */
const mostKept = 8;
const mostCells = 50_000;
const dayLength = 86_400_000;
/** The longest range of which quarters of an hour are read. */
const longestInQuarters = 4 * dayLength;

/**
 * Sums over all accounts (docs/spec/dashboard.md#all-accounts). They are added up when somebody asks, from the sums of each account, so
 * that no charge waits for a row that all accounts share. All charts of a page are made of one reading.
 */
export class AllAccountsUsage {
  readonly #usage: Pick<UsageStore, 'cells'>;
  readonly #clock: Clock;
  readonly #mostCells: number;
  readonly #kept = new Map<string, Kept>();
  /** The last of the readings, which follow each other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(usage: Pick<UsageStore, 'cells'>, clock: Clock, most = mostCells) {
    this.#usage = usage;
    this.#clock = clock;
    this.#mostCells = most;
  }

  /**
   * Reads the sums of a range, at most some seconds old.
   * @throws HeadgateError `invalid_request` for a range that is too long for its steps, or holds too much;
   *   `service_unavailable` while as many ranges are read as are kept.
   */
  async read(range: UsageRange, step: CellStep): Promise<ReadCells> {
    const isShort = step === 15 || step === 60;
    if (isShort && range.to - range.from > longestInQuarters) {
      throw new HeadgateError(
        'invalid_request',
        'All accounts together have steps of hours and less for at most 4 days: choose "bucket=1d" or a shorter range.',
      );
    }
    const name = `${range.from} ${range.to} ${step}`;
    this.#forgetOld();
    const known = this.#kept.get(name);
    if (known !== undefined) return known.reading;
    this.#makeRoom();
    const kept: Kept = { reading: this.#inTurn(range, step), freshUntil: undefined };
    this.#kept.set(name, kept);
    try {
      const { readAt } = await kept.reading;
      const now = this.#clock.now();
      kept.freshUntil ??= now + Math.max(freshFor, (now - readAt) * timesAsLong);
    } catch (error) {
      if (this.#kept.get(name) === kept) this.#kept.delete(name);
      throw error;
    }
    return kept.reading;
  }

  #forgetOld(): void {
    const now = this.#clock.now();
    for (const [name, { freshUntil }] of this.#kept) {
      if (freshUntil !== undefined && freshUntil <= now) this.#kept.delete(name);
    }
  }

  #makeRoom(): void {
    if (this.#kept.size < mostKept) return;
    for (const [name, { freshUntil }] of this.#kept) {
      if (freshUntil === undefined) continue;
      this.#kept.delete(name);
      return;
    }
    throw new HeadgateError(
      'service_unavailable',
      'Sums of all accounts are being read for too many ranges: ask again in some seconds.',
    );
  }

  #inTurn(range: UsageRange, step: CellStep): Promise<ReadCells> {
    const reading = this.#last.then(() => this.#readNow(range, step));
    this.#last = reading.catch(() => undefined);
    return reading;
  }

  async #readNow(range: UsageRange, step: CellStep): Promise<ReadCells> {
    const readAt = this.#clock.now();
    const cells = await this.#usage.cells(range, step, this.#mostCells + 1);
    if (cells.length <= this.#mostCells) return { cells, readAt };
    throw new HeadgateError(
      'invalid_request',
      'All accounts together used too many models, endpoints and kinds of errors for one answer: choose a shorter range or longer steps.',
    );
  }
}
