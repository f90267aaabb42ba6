import type { Dispatcher } from 'undici';

type Handler = Dispatcher.DispatchHandler;
type Controller = Dispatcher.DispatchController;

/** Passes on what a request's handler is told, and notices when its connection has no more work. */
export class PooledHandler implements Handler {
  readonly #handler: Handler;
  readonly #onOver: (intact: boolean) => void;
  #onStale: (() => void) | undefined;
  #started = false;

  /**
   * @param onOver told once, at the end, whether the connection may serve another request.
   * @param onStale told instead of the handler when a kept connection turns out to have been closed by the
   * server before it read the request; undefined for a new connection, which is never stale.
   */
  constructor(handler: Handler, onOver: (intact: boolean) => void, onStale: (() => void) | undefined) {
    this.#handler = handler;
    this.#onOver = onOver;
    this.#onStale = onStale;
  }

  onRequestStart(controller: Controller, context: unknown): void {
    this.#handler.onRequestStart?.(controller, context);
    this.#started = true;
  }

  onResponseStart(...told: Parameters<NonNullable<Handler['onResponseStart']>>): void {
    // What is answered is not sent again, so a long answer need not hold its request.
    this.#onStale = undefined;
    this.#handler.onResponseStart?.(...told);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(...told: Parameters<NonNullable<Handler['onResponseEnd']>>): void {
    this.#handler.onResponseEnd?.(...told);
    this.#onOver(true);
  }

  onResponseError(controller: Controller, error: Error): void {
    if (this.#onStale !== undefined && this.#started && closedByServer(error)) {
      this.#onOver(false);
      this.#onStale();
      return;
    }
    this.#handler.onResponseError?.(controller, error);
    // A request that was given up before its first byte did the connection no harm.
    this.#onOver(!this.#started);
  }
}

const closedCodes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

function closedByServer(error: Error): boolean {
  return 'code' in error && closedCodes.has(error.code);
}
