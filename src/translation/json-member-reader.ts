import { JsonStringReader } from './json-string-reader.ts';

/** A piece of a string member; the last piece of a member, which may be empty, is `done`. */
export interface MemberPiece {
  readonly name: string;
  readonly text: string;
  readonly done: boolean;
}

type Stage = 'member' | 'name' | 'colon' | 'text' | 'other';

/**
 * Reads the string members of a flat JSON object while it arrives, in order. Fragments may be split anywhere. Other
 * members are skipped; members after a nested value are not read.
 */
export class JsonMemberReader {
  #stage: Stage = 'member';
  #name = '';
  #reader = new JsonStringReader();

  /** Returns the pieces that this fragment completes. */
  push(fragment: string): readonly MemberPiece[] {
    const pieces: MemberPiece[] = [];
    let rest = fragment;
    while (rest !== '') rest = this.#step(rest, pieces);
    return pieces;
  }

  /** Reads on to the next change of stage and returns the remainder. */
  #step(text: string, pieces: MemberPiece[]): string {
    switch (this.#stage) {
      case 'member':
        return this.#skipTo(text, '"', 'name');
      case 'colon':
        return this.#enterValue(text);
      case 'other':
        return this.#skipTo(text, ',', 'member');
      case 'name':
        this.#name += this.#reader.push(text);
        return this.#leaveString('colon');
      case 'text': {
        const piece = { name: this.#name, text: this.#reader.push(text), done: this.#reader.closed };
        if (piece.text !== '' || piece.done) pieces.push(piece);
        return this.#leaveString('other');
      }
    }
  }

  #skipTo(text: string, mark: string, stage: Stage): string {
    const place = text.indexOf(mark);
    if (place === -1) return '';
    if (stage === 'name') this.#name = '';
    this.#stage = stage;
    return text.slice(place + 1);
  }

  #enterValue(text: string): string {
    const match = /[^\s:]/.exec(text);
    if (match === null) return '';
    if (match[0] === '"') {
      this.#stage = 'text';
      return text.slice(match.index + 1);
    }
    this.#stage = 'other';
    return text.slice(match.index);
  }

  #leaveString(next: Stage): string {
    if (!this.#reader.closed) return '';
    const { rest } = this.#reader;
    this.#reader = new JsonStringReader();
    this.#stage = next;
    return rest;
  }
}
