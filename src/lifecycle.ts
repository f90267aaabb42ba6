import { HeadgateError } from './core/errors.ts';
import type { Lifecycle } from './http/app-services.ts';

/** A running request, and where it stands among the others. */
interface Entry {
  readonly abort: (reason: unknown) => void;
  /** -1 once it is over. */
  place: number;
}

/** Counts running requests, so that a stopping server can let them finish and then give up on them. */
export class RequestLifecycle implements Lifecycle {
  /**
   * Not a Set: those move to a new table whenever enough has come and gone, and each former table keeps the next one and
   * what was in it from being collected, requests and all, for as long as the first one lies among old objects.
   */
  readonly #running: Entry[] = [];
  #streams = 0;
  #open = false;
  #draining = false;
  #idle: (() => void) | undefined;

  get ready(): boolean {
    return this.#open && !this.#draining;
  }

  /** The server has all it needs: from now on it says that it is ready. */
  open(): void {
    this.#open = true;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Whether requests are running. */
  get busy(): boolean {
    return this.#running.length > 0;
  }

  /** What runs at this moment. */
  get traffic(): { readonly running: number; readonly streams: number } {
    return { running: this.#running.length, streams: this.#streams };
  }

  begin(abort: (reason: unknown) => void, streamed: boolean): () => void {
    const entry: Entry = { abort, place: this.#running.length };
    this.#running.push(entry);
    if (streamed) this.#streams += 1;
    return () => {
      if (entry.place === -1) return;
      this.#remove(entry);
      if (streamed) this.#streams -= 1;
      if (this.#running.length === 0) this.#idle?.();
    };
  }

  /** The last one takes its place. */
  #remove(entry: Entry): void {
    const last = this.#running.pop();
    if (last !== undefined && last !== entry) {
      this.#running[entry.place] = last;
      last.place = entry.place;
    }
    entry.place = -1;
  }

  /** Takes no more requests, waits for the running ones up to `timeout` milliseconds, then aborts and awaits them. */
  async drain(timeout: number): Promise<void> {
    this.#draining = true;
    if (await this.#waitUntilIdle(timeout)) return;
    for (const { abort } of [...this.#running]) {
      abort(new HeadgateError('service_unavailable', 'The server is shutting down.'));
    }
    await this.#waitUntilIdle(abortGrace);
  }

  #waitUntilIdle(timeout: number): Promise<boolean> {
    if (this.#running.length === 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), timeout);
      this.#idle = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }
}

/** How long aborted requests may take to settle, in milliseconds. */
const abortGrace = 5_000;
