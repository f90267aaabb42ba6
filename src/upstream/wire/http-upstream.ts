import type { Upstream } from '../../ports/upstream.ts';
import type { Adapter } from '../adapter.ts';
import { Exchange } from './exchange.ts';
import { addressRequest } from './target.ts';
import type { Transport } from './transport.ts';

/**
 * Speaks a dialect over HTTP: encodes the call, sends it, and decodes the answer: an event stream with
 * one batch for each piece of the network's that said something, a JSON body with one for all. It never retries. See `Upstream` for what it promises and
 * routing.md 5.2 for the errors; an aborted signal ends the iteration with the signal's reason.
 */
export function createHttpUpstream(adapter: Adapter, transport: Transport): Upstream {
  return {
    async *stream(call) {
      call.signal.throwIfAborted();
      const wire = adapter.encode(call);
      const body = JSON.stringify(wire.body);
      const request = addressRequest(call.endpoint.provider, wire, body);
      call.onBody?.(JSON.parse(body));
      const exchange = new Exchange(adapter, call, wire.streamed);
      try {
        transport.send(request, exchange);
        for (;;) {
          const batch = await exchange.batches.take();
          if (batch === undefined) return;
          yield batch;
        }
      } finally {
        exchange.leave();
      }
    },
  };
}
