import type { Readable } from 'node:stream';

/** What was read of one command. */
export interface ReadOutput {
  readonly text: string;
  /** What followed the mark on its line. */
  readonly note: string;
}

interface Reading {
  readonly mark: Buffer;
  readonly most: number;
  readonly onBytes: (total: number) => void;
  readonly done: PromiseWithResolvers<ReadOutput>;
}

const longestNote = 64;

/** One output of a container, which all its commands write to one after the other, each ended by a line that begins with a mark. */
export class MarkedOutput {
  #reading: Reading | undefined;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #total = 0;
  /** The end of what was read, in which a mark may have begun. */
  #tail: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    stream.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  /**
   * Reads until a mark.
   * @param most Bytes to keep; the others are read and dropped. @param onBytes Called with the bytes so far.
   */
  until(mark: string, most: number, onBytes: (total: number) => void): Promise<ReadOutput> {
    const done = Promise.withResolvers<ReadOutput>();
    this.#reading = { mark: Buffer.from(mark), most, onBytes, done };
    this.#kept = [];
    this.#keptBytes = 0;
    this.#total = 0;
    this.#tail = Buffer.alloc(0);
    return done.promise;
  }

  /** Ends a reading whose container is gone. */
  fail(error: Error): void {
    this.#reading?.done.reject(error);
    this.#reading = undefined;
  }

  #read(chunk: Buffer): void {
    const reading = this.#reading;
    if (reading === undefined) return;
    const whole = this.#tail.length === 0 ? chunk : Buffer.concat([this.#tail, chunk]);
    const at = whole.indexOf(reading.mark);
    if (at === -1) {
      const tail = Math.min(whole.length, reading.mark.length - 1);
      this.#keep(whole.subarray(0, whole.length - tail), reading.most);
      this.#tail = Buffer.from(whole.subarray(whole.length - tail));
      reading.onBytes(this.#total);
      return;
    }
    this.#keep(whole.subarray(0, at), reading.most);
    this.#tail = Buffer.from(whole.subarray(at, at + reading.mark.length + longestNote));
    const end = this.#tail.indexOf('\n');
    if (end === -1 && this.#tail.length < reading.mark.length + longestNote) return;
    const note = this.#tail.subarray(reading.mark.length, end).toString('latin1');
    this.#reading = undefined;
    reading.done.resolve({ text: Buffer.concat(this.#kept).toString(), note });
    this.#kept = [];
  }

  #keep(bytes: Buffer, most: number): void {
    this.#total += bytes.length;
    const room = most - this.#keptBytes;
    if (room <= 0 || bytes.length === 0) return;
    const kept = Buffer.from(bytes.subarray(0, room));
    this.#kept.push(kept);
    this.#keptBytes += kept.length;
  }
}
