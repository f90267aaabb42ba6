import type { Provider } from '../../core/catalogue.ts';
import type { FeatureSupport } from '../../core/features.ts';
import type { Upstream } from '../../ports/upstream.ts';
import type { Adapter } from '../adapter.ts';
import { HttpAnswer } from './http-answer.ts';
import type { Transport } from './transport.ts';

/**
 * Creates an upstream for a dialect over HTTP: it encodes the call, sends it and decodes the answer. Events give one
 * batch for each network read with content, a JSON body gives one batch. It never retries. See `Upstream` for the
 * contract and docs/spec/routing.md#outcomes for the errors; an aborted signal ends the iteration with the signal's
 * reason.
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
