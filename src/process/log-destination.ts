import { write, writeSync } from 'node:fs';

/** Bytes gathered before they are written, though no clock asked for it. */
const gathered = 8192;

/** UTF-16 units that may wait while nothing can be written; what comes after them is lost. */
const mostWaiting = 1024 * 1024;

/**
 * A file, pipe or device that log lines go to: written together and in the background, so that no request waits.
 * One that takes nothing, be it a full disk or a reader that stands still, stops nobody: lines wait, then are lost,
 * and whole lines follow once it takes them again.
 */
export class LogDestination {
  readonly #descriptor: number;
  /** What a write is on its way with, or could not finish. */
  #unwritten: Buffer = Buffer.alloc(0);
  #writing = false;
  #waiting = '';
  #whenWritten: (() => void)[] = [];

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /** Takes a line, with its line break. */
  write(line: string): void {
    if (this.#waiting.length + line.length > mostWaiting) return;
    this.#waiting += line;
    // While the last write failed only the clock tries again.
    if (this.#waiting.length >= gathered && this.#unwritten.length === 0) this.flush();
  }

  /** Writes what waits, as far as it can be; then tells. */
  flush(done?: () => void): void {
    if (done !== undefined) this.#whenWritten.push(done);
    if (this.#writing) return;
    if (this.#unwritten.length === 0) this.#takeWaiting();
    this.#writeOn();
  }

  /** Writes what waits at once, for a process that ends; what does not go now is lost. */
  flushSync(): void {
    // A write that is on its way may still end well: its lines are not written twice.
    const rest = this.#writing
      ? Buffer.from(this.#waiting)
      : Buffer.concat([this.#unwritten, Buffer.from(this.#waiting)]);
    this.#waiting = '';
    try {
      for (let done = 0; done < rest.length; ) done += writeSync(this.#descriptor, rest, done);
    } catch {
      // Nobody is left to tell.
    }
  }

  #takeWaiting(): void {
    this.#unwritten = Buffer.from(this.#waiting);
    this.#waiting = '';
  }

  #writeOn(): void {
    if (this.#unwritten.length === 0) {
      this.#tell();
      return;
    }
    this.#writing = true;
    write(this.#descriptor, this.#unwritten, (error, written) => {
      this.#writing = false;
      if (error !== null) {
        this.#tell();
        return;
      }
      this.#unwritten = this.#unwritten.subarray(written);
      const more = this.#waiting.length >= gathered || this.#whenWritten.length > 0;
      if (this.#unwritten.length === 0 && more) this.#takeWaiting();
      this.#writeOn();
    });
  }

  #tell(): void {
    const told = this.#whenWritten;
    this.#whenWritten = [];
    for (const done of told) done();
  }
}
