import type { Provider } from '../../core/catalogue.ts';
import type { FeatureSupport } from '../../core/features.ts';
import type { Upstream } from '../../ports/upstream.ts';
import type { Adapter } from '../adapter.ts';
import { HttpAnswer } from './http-answer.ts';
import type { Transport } from './transport.ts';

/**
 * Speaks a dialect over HTTP: encodes the call, sends it, and decodes the answer: events with one batch for each
 * piece of the network's that said something, a JSON body with one for all. It never retries. See `Upstream` for
 * what it promises and routing.md 5.2 for the errors; an aborted signal ends the iteration with the signal's reason.
 */
export function createHttpUpstream(adapter: Adapter, transport: Transport): Upstream {
  const known = new WeakMap<Provider, Map<string | undefined, FeatureSupport>>();
  return {
    stream: (call) => new HttpAnswer(adapter, call, transport),
    support(provider, upstreamModel) {
      const models = known.get(provider) ?? new Map<string | undefined, FeatureSupport>();
      known.set(provider, models);
      const support = models.get(upstreamModel) ?? adapter.support(provider, upstreamModel);
      models.set(upstreamModel, support);
      return support;
    },
  };
}
