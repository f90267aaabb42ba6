/** A member of such a set, with its index in it. */
export interface Enrolled<Member> {
  readonly member: Member;
  /** Maintained by the set; -1 once it has left. */
  place: number;
}

/**
 * An unordered set of current members, for members that come and go with every request. Replaces Set and Map, which
 * move to a new table after enough changes; each former table keeps its contents and the next table in memory while
 * the first one is in the old generation (docs/decisions/0025).
 */
export class UnorderedSet<Member> {
  readonly #enrolled: Enrolled<Member>[] = [];

  get size(): number {
    return this.#enrolled.length;
  }

  /** The current members. */
  members(): readonly Member[] {
    return this.#enrolled.map(({ member }) => member);
  }

  /** The current members with their places, in an array of the caller's own. */
  entries(): Enrolled<Member>[] {
    return [...this.#enrolled];
  }

  enter(member: Member): Enrolled<Member> {
    const entered = { member, place: this.#enrolled.length };
    this.#enrolled.push(entered);
    return entered;
  }

  /** False when it had already left. */
  leave(left: Enrolled<Member>): boolean {
    if (left.place === -1) return false;
    const last = this.#enrolled.pop();
    // The last one takes its place.
    if (last !== undefined && last !== left) {
      this.#enrolled[left.place] = last;
      last.place = left.place;
    }
    left.place = -1;
    return true;
  }
}
