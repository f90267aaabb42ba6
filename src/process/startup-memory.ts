import { collectGarbage } from './collect-garbage.ts';

/** Milliseconds after the start, when start-up work is over. */
const settleTime = 1_000;

/** About 15 MB of memory that only the start of a server needed and the engine would keep. */
export class StartupMemory {
  #timer: NodeJS.Timeout | undefined;

  /** Opens a server, and frees this memory soon afterwards. */
  opens(lifecycle: { readonly busy: boolean; open(): void }): () => void {
    return () => {
      lifecycle.open();
      this.release(() => lifecycle.busy);
    };
  }

  /**
   * Frees it, a second from now. That blocks the process once for some tens of milliseconds and is skipped while
   * requests run, or when the server is closed by then.
   */
  release(isBusy: () => boolean): void {
    this.#timer = setTimeout(() => {
      if (!isBusy()) collectGarbage();
    }, settleTime).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
