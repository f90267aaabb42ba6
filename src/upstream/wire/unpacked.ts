import { type Dispatcher, interceptors } from 'undici';

type Handler = Dispatcher.DispatchHandler;

/** Made when the first compressed answer comes: no provider is asked for one. */
let unpack: Dispatcher.DispatcherComposeInterceptor | undefined;

/**
 * A handler for an answer that is compressed although nobody asked for it, which passes on what it unpacks. It pauses with the
 * reader, so that what was sent small does not grow in memory. An encoding that is not known is passed on as it is.
 * @param controller Of the request, which has begun.
 */
export function unpacked(handler: Handler, controller: Dispatcher.DispatchController): Handler {
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
