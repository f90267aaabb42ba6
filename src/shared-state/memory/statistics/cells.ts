import type { Clock } from '../../../ports/clock.ts';
import { hour } from './windows.ts';

/** Older records are outside the longest window. */
const forgottenAfter = 24 * hour;
/** The share that is evicted together, so that not every new entry needs a scan. */
const forgottenShare = 0.1;

/** Cells by key; evicts those with the oldest records when there are too many. */
export class Cells<Cell extends { readonly lastRecordedAt: number }> {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #create: () => Cell;
  readonly #cells = new Map<string, Cell>();

  /** @param limit of cells. */
  constructor(clock: Clock, limit: number, create: () => Cell) {
    this.#clock = clock;
    this.#limit = limit;
    this.#create = create;
  }

  /** The cell of a key, if it has a record of the last day. */
  find(key: string): Cell | undefined {
    const cell = this.#cells.get(key);
    return cell !== undefined && this.#clock.now() - cell.lastRecordedAt < forgottenAfter ? cell : undefined;
  }

  /** The cell of a key; created if missing. */
  open(key: string): Cell {
    const known = this.#cells.get(key);
    if (known !== undefined) return known;
    if (this.#cells.size >= this.#limit) this.#forget();
    const cell = this.#create();
    this.#cells.set(key, cell);
    return cell;
  }

  #forget(): void {
    const bySilence = [...this.#cells].sort(
      ([, left], [, right]) => left.lastRecordedAt - right.lastRecordedAt,
    );
    for (const [key] of bySilence.slice(0, Math.ceil(this.#limit * forgottenShare))) this.#cells.delete(key);
  }
}
