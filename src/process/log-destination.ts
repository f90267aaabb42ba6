import { write, writeSync } from 'node:fs';

/** Bytes in the buffer that trigger a write before the timer does. */
const gathered = 8192;

/** Limit of buffered UTF-16 units while nothing can be written; further lines are lost. */
const maxWaiting = 1024 * 1024;

/**
 * A file, pipe or device for log lines, which are written together in the background, so that no request waits. A
 * destination that accepts nothing, such as a full disk or a stopped reader, blocks nobody: lines are buffered, then
 * lost, and complete lines follow once it accepts them again.
 */
export class LogDestination {
  readonly #descriptor: number;
  /** The data of the current write, or of one that failed. */
  #unwritten: Buffer = Buffer.alloc(0);
  #writing = false;
  #waiting = '';
  #whenWritten: (() => void)[] = [];

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /** Takes a line, including its line break. */
  write(line: string): void {
    if (this.#waiting.length + line.length > maxWaiting) return;
    this.#waiting += line;
    // After a failed write only the timer tries again.
    if (this.#waiting.length >= gathered && this.#unwritten.length === 0) this.flush();
  }

  /** Writes the buffer as far as possible, then calls back. */
  flush(done?: () => void): void {
    if (done !== undefined) this.#whenWritten.push(done);
    if (this.#writing) return;
    if (this.#unwritten.length === 0) this.#takeWaiting();
    this.#writeOn();
  }

  /** Writes the buffer synchronously, for a process that ends; the rest is lost. */
  flushSync(): void {
    // The current write may still succeed, so its lines are not written twice.
    const rest = this.#writing
      ? Buffer.from(this.#waiting)
      : Buffer.concat([this.#unwritten, Buffer.from(this.#waiting)]);
    this.#waiting = '';
    try {
      for (let done = 0; done < rest.length; ) done += writeSync(this.#descriptor, rest, done);
    } catch {
      // There is nowhere left to report it.
    }
  }

  #takeWaiting(): void {
    this.#unwritten = Buffer.from(this.#waiting);
    this.#waiting = '';
  }

  #writeOn(): void {
    if (this.#unwritten.length === 0) {
      this.#notifyWriters();
      return;
    }
    this.#writing = true;
    write(this.#descriptor, this.#unwritten, (error, written) => {
      this.#writing = false;
      if (error !== null) {
        this.#notifyWriters();
        return;
      }
      this.#unwritten = this.#unwritten.subarray(written);
      const more = this.#waiting.length >= gathered || this.#whenWritten.length > 0;
      if (this.#unwritten.length === 0 && more) this.#takeWaiting();
      this.#writeOn();
    });
  }

  #notifyWriters(): void {
    const callbacks = this.#whenWritten;
    this.#whenWritten = [];
    for (const done of callbacks) done();
  }
}
