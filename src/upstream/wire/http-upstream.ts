import type { Provider } from '../../core/catalogue.ts';
import type { FeatureSupport } from '../../core/features.ts';
import type { Upstream, UpstreamCall } from '../../ports/upstream.ts';
import type { Adapter, Counting } from '../adapter.ts';
import { inBatches } from './batched-embeddings.ts';
import { CountDecoder } from './count-decoder.ts';
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
  const { counting } = adapter;
  const counter = counting && countingAdapter(adapter, counting);
  return {
    ...(counter && { count: (call) => new HttpAnswer(counter, call, transport) }),
    stream: (call) => {
      const most = call.request.embedding === undefined ? undefined : adapter.mostInputs?.(call);
      const send = (one: UpstreamCall) => new HttpAnswer(adapter, one, transport);
      return most === undefined || call.request.items.length <= most
        ? send(call)
        : inBatches(call, most, send);
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

/** An adapter that asks for the size of a call's input. */
function countingAdapter(adapter: Adapter, counting: Counting): Adapter {
  return {
    ...adapter,
    encode: (call) => counting.encode(call),
    createDecoder: () => new CountDecoder(counting),
  };
}
