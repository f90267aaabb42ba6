/** A member of a roster, and where it stands in it. */
export interface Enrolled<Member> {
  readonly member: Member;
  /** The roster's own; -1 once it has left. */
  place: number;
}

/**
 * Who takes part at the moment, in no order. For what comes and goes with every request, instead of a Set or Map: those
 * move to a new table whenever enough has come and gone, and each former table keeps the next one and what was in it
 * from being collected for as long as the first one lies among old objects (docs/decisions/0025).
 */
export class Roster<Member> {
  readonly #enrolled: Enrolled<Member>[] = [];

  get size(): number {
    return this.#enrolled.length;
  }

  /** Those who take part now. */
  members(): readonly Member[] {
    return this.#enrolled.map(({ member }) => member);
  }

  enter(member: Member): Enrolled<Member> {
    const entered = { member, place: this.#enrolled.length };
    this.#enrolled.push(entered);
    return entered;
  }

  /** False when it had left already. */
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
