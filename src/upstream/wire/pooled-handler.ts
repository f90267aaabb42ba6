import { type Dispatcher, interceptors } from 'undici';
import { isCompressed } from './answer-body.ts';

type Handler = Dispatcher.DispatchHandler;
type Controller = Dispatcher.DispatchController;

/** Forwards the callbacks of a request's handler, and detects when its connection is free again. */
export class PooledHandler implements Handler {
  #handler: Handler;
  readonly #onOver: (intact: boolean) => void;
  #onStale: (() => void) | undefined;
  #started = false;

  /**
   * @param onOver called once, at the end, with whether the connection can serve another request.
   * @param onStale called instead of the handler when the server had closed a kept connection before it read the
   * request; undefined for a new connection, which is never stale.
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

  onResponseStart(...args: Parameters<NonNullable<Handler['onResponseStart']>>): void {
    const [controller, , headers] = args;
    // A request that is being answered is not sent again, so a long answer need not keep it in memory.
    this.#onStale = undefined;
    if (isCompressed(headers)) this.#handler = unpacked(this.#handler, controller);
    this.#handler.onResponseStart?.(...args);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(...args: Parameters<NonNullable<Handler['onResponseEnd']>>): void {
    this.#handler.onResponseEnd?.(...args);
    this.#onOver(true);
  }

  onResponseError(controller: Controller, error: Error): void {
    if (this.#onStale !== undefined && this.#started && closedByServer(error)) {
      this.#onOver(false);
      this.#onStale();
      return;
    }
    this.#handler.onResponseError?.(controller, error);
    // A request aborted before its first byte leaves the connection intact.
    this.#onOver(!this.#started);
  }
}

const closedCodes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

function closedByServer(error: Error): boolean {
  return 'code' in error && closedCodes.has(error.code);
}

/** Made when the first compressed answer comes: no provider is asked for one. */
let unpack: Dispatcher.DispatcherComposeInterceptor | undefined;

/**
 * A handler for an answer that is compressed although nobody asked for it, which passes on what it unpacks. It pauses with the
 * reader, so that what was sent small does not grow in memory. An encoding that is not known is passed on as it is.
 * @param controller Of the request, which has begun.
 */
function unpacked(handler: Handler, controller: Dispatcher.DispatchController): Handler {
  unpack ??= interceptors.decompress({ skipErrorResponses: false });
  // It knows that the request has begun.
  const begun: Handler = {
    onRequestStart: () => undefined,
    onResponseStart: (...args) => handler.onResponseStart?.(...args),
    onResponseData: (...args) => handler.onResponseData?.(...args),
    onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
    onResponseError: (...args) => handler.onResponseError?.(...args),
  };
  let unpacking: Handler = begun;
  const keep: Dispatcher['dispatch'] = (_options, inner) => {
    unpacking = inner;
    return true;
  };
  unpack(keep)({ path: '/', method: 'POST' }, begun);
  unpacking.onRequestStart?.(controller, {});
  return unpacking;
}
