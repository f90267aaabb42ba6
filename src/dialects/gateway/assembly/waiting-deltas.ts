import type { Delta } from '../../../core/delta.ts';

type BlockDelta = Extract<Delta, { block: number }>;

/** Deltas in the order they came, of which the next, or the next of one block, can be taken: each is looked at once. */
export class WaitingDeltas {
  #deltas: (BlockDelta | undefined)[] = [];
  #next = 0;
  /** Where those of each block stand. */
  #places: Map<number, { readonly at: number[]; next: number }> | undefined;
  #count = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  add(delta: BlockDelta): void {
    this.#places ??= new Map();
    const places = this.#places.get(delta.block);
    const at = this.#deltas.push(delta) - 1;
    if (places === undefined) this.#places.set(delta.block, { at: [at], next: 0 });
    else places.at.push(at);
    this.#count += 1;
  }

  /** The next one of all, if it is wanted. */
  take(isWanted: (delta: BlockDelta) => boolean): BlockDelta | undefined {
    for (; this.#next < this.#deltas.length; this.#next += 1) {
      const delta = this.#deltas[this.#next];
      if (delta !== undefined) return isWanted(delta) ? this.#remove(this.#next) : undefined;
    }
    return undefined;
  }

  /** The next one of a block, if it is wanted. */
  takeOf(block: number, isWanted: (delta: BlockDelta) => boolean): BlockDelta | undefined {
    const places = this.#places?.get(block);
    if (places === undefined) return undefined;
    for (; places.next < places.at.length; places.next += 1) {
      const at = places.at[places.next] ?? 0;
      const delta = this.#deltas[at];
      if (delta !== undefined) return isWanted(delta) ? this.#remove(at) : undefined;
    }
    return undefined;
  }

  #remove(at: number): BlockDelta | undefined {
    const delta = this.#deltas[at];
    this.#deltas[at] = undefined;
    this.#count -= 1;
    if (this.#count === 0) this.#forget();
    return delta;
  }

  #forget(): void {
    this.#deltas = [];
    this.#next = 0;
    this.#places = undefined;
  }
}

type TextDelta = Extract<Delta, { block: number; text: string }>;

const endsInHalf = /[\ud800-\udbff]$/;

/**
 * Keeps characters whole. Some providers cut texts between the two halves of a character, which JSON can write and UTF-8
 * cannot: clients in most languages fail on a delta with one half.
 */
export class WholeCharacters {
  /** First halves, by what they are of; hardly any stream has one. */
  #held: Map<string, string> | undefined;

  /** The delta with the half that came before, and without one at its end; what has no other half is replaced. */
  complete<Some extends TextDelta>(delta: Some): Some {
    if (this.#held === undefined && delta.text.isWellFormed()) return delta;
    this.#held ??= new Map();
    const place = `${delta.kind} ${delta.block}`;
    const text = (this.#held.get(place) ?? '') + delta.text;
    const half = endsInHalf.exec(text)?.[0] ?? '';
    if (half === '') this.#held.delete(place);
    else this.#held.set(place, half);
    return { ...delta, text: text.slice(0, text.length - half.length).toWellFormed() };
  }
}
