import type { Delta } from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { CanonicalRequest } from '../../core/request.ts';
import { addUsage, type Usage } from '../../core/usage.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';

type Send = (call: UpstreamCall) => AsyncIterable<readonly Delta[]>;

/**
 * Sends more inputs than an endpoint takes at once as several calls to it, one after the other, and gives their vectors
 * as one answer (docs/spec/embeddings.md#batches). One failure fails all.
 * @param most Inputs of one call.
 */
export async function* inBatches(
  call: UpstreamCall,
  most: number,
  send: Send,
): AsyncIterable<readonly Delta[]> {
  const { request } = call;
  let usage: Usage | undefined;
  yield [{ kind: 'start' }];
  for (let from = 0; from < request.items.length; from += most) {
    const vectors: Delta[] = [];
    for await (const batch of send({ ...call, request: slice(request, from, from + most) })) {
      for (const delta of batch) {
        if (delta.kind === 'embedding') vectors.push({ ...delta, index: delta.index + from });
        else if (delta.kind === 'usage') usage = addUp(usage, delta.usage);
      }
    }
    yield vectors;
  }
  if (usage === undefined) throw new HeadgateError('provider_failed');
  yield [
    { kind: 'usage', usage },
    { kind: 'finish', reason: 'stop' },
  ];
}

/** A sum of some of the calls would look like the whole: what one does not report stays unreported. */
function addUp(before: Usage | undefined, usage: Usage): Usage {
  if (before === undefined) return usage;
  const isReported = before.uncachedInput !== undefined && usage.uncachedInput !== undefined;
  const sum = addUsage(before, usage);
  return isReported ? sum : { ...sum, uncachedInput: undefined };
}

function slice(request: CanonicalRequest, from: number, to: number): CanonicalRequest {
  const { items, embedding } = request;
  const tokens = embedding?.tokens && [...embedding.tokens].filter(([index]) => index >= from && index < to);
  return {
    ...request,
    items: items.slice(from, to),
    embedding: {
      ...embedding,
      tokens: tokens && new Map(tokens.map(([index, some]) => [index - from, some])),
    },
  };
}
