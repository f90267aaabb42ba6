import { HeadgateError } from '../core/errors.ts';
import type { AnswerRoom } from '../ports/answer-room.ts';
import { type Enrolled, UnorderedSet } from '../util/unordered-set.ts';

/** How much memory a byte of an answer takes: in the adapter, in the writer, and joined at its end; some texts are twice as wide. */
const weightKept = 4;
/** The same for a byte that is buffered: as it came, as text, and as the values that are read from it. */
const weightBuffered = 3;
/** Milliseconds in which an answer that was cut off has to be over. */
const grace = 2_000;
/** Answers that may come to a regular end at the same time after they were cut off: their last events take memory too. */
const mostEnding = 4;

/** The request whose answer may be cut off. */
export interface AnswerOwner {
  /** Ends the answer as soon as possible; what was produced is charged. */
  cutOff(reason: HeadgateError): void;
  /** Breaks the answer off at once. */
  destroy(): void;
}

/** The room of one answer. */
export interface OpenRoom extends AnswerRoom {
  /** The answer is over and sent, or its client has gone. */
  close(): void;
}

/**
 * Limits the memory of all running answers together. Each answer is limited by itself, but hundreds may grow at the same
 * time. Once they are over the limit the longest ones are cut off until the others fit.
 */
export class AnswerMemory {
  readonly #limit: number;
  readonly #open = new UnorderedSet<Room>();
  /** Bytes of all open answers that are not being cut off. */
  #taken = 0;
  #ending = 0;

  /** @param limit Bytes of memory. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Makes room for an answer.
   * @param longest Bytes of the longest answer.
   */
  open(longest: number, owner: AnswerOwner): OpenRoom {
    const room = new Room(longest, owner, this);
    room.enrolled = this.#open.enter(room);
    return room;
  }

  /** An answer takes more room. */
  grew(bytes: number): void {
    this.#taken += bytes;
    if (this.#taken > this.#limit) this.#cutOffLongest();
  }

  /** An answer counts no more. */
  left(bytes: number): void {
    this.#taken -= bytes;
  }

  /** An answer is over. */
  closed(enrolled: Enrolled<Room> | undefined, wasEnding: boolean): void {
    if (enrolled !== undefined) this.#open.leave(enrolled);
    if (wasEnding) this.#ending -= 1;
  }

  #cutOffLongest(): void {
    while (this.#taken > this.#limit) {
      const longest = this.#longest();
      if (longest === undefined) return;
      if (this.#ending < mostEnding) {
        this.#ending += 1;
        longest.cutOff();
      } else longest.destroy();
    }
  }

  #longest(): Room | undefined {
    let longest: Room | undefined;
    for (const room of this.#open.members()) {
      if (!room.isCutOff && room.taken > (longest?.taken ?? 0)) longest = room;
    }
    return longest;
  }
}

class Room implements OpenRoom {
  readonly limit: number;
  /** Undefined once the answer is over: a room in the old generation must keep no request in memory. */
  #owner: AnswerOwner | undefined;
  readonly #memory: AnswerMemory;
  /** Its place among the open rooms. */
  enrolled: Enrolled<Room> | undefined;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;
  /** Bytes of memory. */
  taken = 0;
  /** Whether it counts no more. */
  isCutOff = false;
  #isEnding = false;

  constructor(limit: number, owner: AnswerOwner, memory: AnswerMemory) {
    this.limit = limit;
    this.#owner = owner;
    this.#memory = memory;
  }

  keep(bytes: number): void {
    this.#take(bytes * weightKept);
  }

  buffer(bytes: number): void {
    this.#take(bytes * weightBuffered);
  }

  /** Lets the answer come to an end. */
  cutOff(): void {
    this.#leave();
    this.#isEnding = true;
    this.#timer = setTimeout(() => this.#owner?.destroy(), grace);
    this.#owner?.cutOff(new HeadgateError('answer_cut_off'));
  }

  /** Breaks the answer off. */
  destroy(): void {
    this.#leave();
    this.#owner?.destroy();
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    if (!this.isCutOff) this.#leave();
    this.#memory.closed(this.enrolled, this.#isEnding);
    this.enrolled = undefined;
    this.#owner = undefined;
  }

  #leave(): void {
    this.isCutOff = true;
    this.#memory.left(this.taken);
  }

  #take(bytes: number): void {
    if (this.#isOver) return;
    this.taken += bytes;
    if (!this.isCutOff) this.#memory.grew(bytes);
  }
}
