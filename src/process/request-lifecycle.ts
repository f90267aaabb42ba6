import { HeadgateError } from '../core/errors.ts';
import type { Lifecycle } from '../edge/inference-services.ts';
import { UnorderedSet } from '../util/unordered-set.ts';

/** Counts running requests, so that a stopping server can let them finish and then abort them. */
export class RequestLifecycle implements Lifecycle {
  readonly #running = new UnorderedSet<(reason: unknown) => void>();
  #streams = 0;
  #open = false;
  #draining = false;
  #idle: (() => void) | undefined;
  readonly #drainListeners: (() => void)[] = [];

  get ready(): boolean {
    return this.#open && !this.#draining;
  }

  /** Marks the server as ready. */
  open(): void {
    this.#open = true;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Whether requests are running. */
  get busy(): boolean {
    return this.#running.size > 0;
  }

  /** What is running at this moment. */
  get traffic(): { readonly running: number; readonly streams: number } {
    return { running: this.#running.size, streams: this.#streams };
  }

  begin(abort: (reason: unknown) => void, streamed: boolean): () => void {
    const running = this.#running.enter(abort);
    if (streamed) this.#streams += 1;
    return () => {
      if (!this.#running.leave(running)) return;
      if (streamed) this.#streams -= 1;
      if (this.#running.size === 0) this.#idle?.();
    };
  }

  onDrain(listener: () => void): void {
    this.#drainListeners.push(listener);
  }

  /**
   * Accepts no more requests, waits up to `timeout` milliseconds for the running ones, then aborts them and waits for
   * their end.
   */
  async drain(timeout: number): Promise<void> {
    this.#draining = true;
    for (const listener of this.#drainListeners.splice(0)) listener();
    if (await this.#waitUntilIdle(timeout)) return;
    for (const abort of this.#running.members()) {
      abort(new HeadgateError('service_unavailable', 'The server is shutting down.'));
    }
    await this.#waitUntilIdle(abortGrace);
  }

  #waitUntilIdle(timeout: number): Promise<boolean> {
    if (this.#running.size === 0) return Promise.resolve(true);
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
