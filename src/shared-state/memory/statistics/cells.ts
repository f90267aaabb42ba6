import type { Clock } from '../../../ports/clock.ts';
import { hour } from './windows.ts';

/** Whoever was silent for the longest window has nothing left to tell. */
const forgottenAfter = 24 * hour;
/** What is forgotten at once when there are too many, so that not every newcomer costs a search. */
const forgottenShare = 0.1;

/** Cells by key, of which those silent for longest are forgotten when there are too many. */
export class Cells<Cell extends { readonly lastTold: number }> {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #create: () => Cell;
  readonly #cells = new Map<string, Cell>();

  /** @param limit how many are remembered. */
  constructor(clock: Clock, limit: number, create: () => Cell) {
    this.#clock = clock;
    this.#limit = limit;
    this.#create = create;
  }

  /** The cell of a key, if it was told anything within a day. */
  find(key: string): Cell | undefined {
    const cell = this.#cells.get(key);
    return cell !== undefined && this.#clock.now() - cell.lastTold < forgottenAfter ? cell : undefined;
  }

  /** The cell of a key, made where there is none. */
  open(key: string): Cell {
    const known = this.#cells.get(key);
    if (known !== undefined) return known;
    if (this.#cells.size >= this.#limit) this.#forget();
    const cell = this.#create();
    this.#cells.set(key, cell);
    return cell;
  }

  #forget(): void {
    const bySilence = [...this.#cells].sort(([, left], [, right]) => left.lastTold - right.lastTold);
    for (const [key] of bySilence.slice(0, Math.ceil(this.#limit * forgottenShare))) this.#cells.delete(key);
  }
}
