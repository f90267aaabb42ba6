import type { Provider } from '../../core/catalogue.ts';
import type { FeatureSupport } from '../../core/features.ts';
import type { Upstream } from '../../ports/upstream.ts';
import type { Adapter } from '../adapter.ts';
import { authorize } from './authorize.ts';
import { Exchange } from './exchange.ts';
import { addressRequest } from './target.ts';
import type { Transport } from './transport.ts';

/**
 * Speaks a dialect over HTTP: encodes the call, sends it, and decodes the answer: events with one batch for each
 * piece of the network's that said something, a JSON body with one for all. It never retries. See `Upstream` for
 * what it promises and routing.md 5.2 for the errors; an aborted signal ends the iteration with the signal's reason.
 */
export function createHttpUpstream(adapter: Adapter, transport: Transport): Upstream {
  const known = new WeakMap<Provider, Map<string | undefined, FeatureSupport>>();
  return {
    async *stream(call) {
      call.signal.throwIfAborted();
      const wire = adapter.encode(call);
      const body = JSON.stringify(wire.body);
      const addressed = addressRequest(call.endpoint.provider, wire, body);
      call.onBody?.(JSON.parse(body));
      const authorized = authorize(adapter, call, addressed);
      const request = authorized instanceof Promise ? await authorized : authorized;
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
    support(provider, upstreamModel) {
      const models = known.get(provider) ?? new Map<string | undefined, FeatureSupport>();
      known.set(provider, models);
      const support = models.get(upstreamModel) ?? adapter.support(provider, upstreamModel);
      models.set(upstreamModel, support);
      return support;
    },
  };
}
