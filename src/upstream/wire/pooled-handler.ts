import type { Dispatcher } from 'undici';

type Handler = Dispatcher.DispatchHandler;
type Controller = Dispatcher.DispatchController;

/** Passes on what a request's handler is told, and notices when its connection has no more work. */
export class PooledHandler implements Handler {
  readonly #handler: Handler;
  readonly #onOver: (intact: boolean) => void;
  #started = false;

  /** @param onOver told once, at the end, whether the connection may serve another request. */
  constructor(handler: Handler, onOver: (intact: boolean) => void) {
    this.#handler = handler;
    this.#onOver = onOver;
  }

  onRequestStart(controller: Controller, context: unknown): void {
    this.#handler.onRequestStart?.(controller, context);
    this.#started = true;
  }

  onResponseStart(...told: Parameters<NonNullable<Handler['onResponseStart']>>): void {
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
    this.#handler.onResponseError?.(controller, error);
    // A request that was given up before its first byte did the connection no harm.
    this.#onOver(!this.#started);
  }
}
