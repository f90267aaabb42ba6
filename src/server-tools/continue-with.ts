import type { TurnEnd } from '../core/answer-part.ts';
import { HeadgateError } from '../core/errors.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import type { CanonicalRequest, Item } from '../core/request.ts';

const finalQuestion =
  'No tools can be called any more. Answer from what is known by now, in plain text and without the syntax of calls.';

/**
 * The next turn's request: on the same endpoint where that can serve, with what was said and done so far
 * (docs/spec/server-tools.md#the-loop). The last one may call nothing.
 */
export function continueWith(
  request: InferenceRequest,
  items: readonly Item[],
  served: TurnEnd['served'],
  isFinal: boolean,
): InferenceRequest {
  const { canonical, provider } = request;
  // A choice that forces a call binds the first turn alone; one that limits what may be called binds all.
  const { toolChoice } = canonical;
  const next: CanonicalRequest = {
    ...canonical,
    items: [...canonical.items, ...items],
    toolChoice: toolChoice.kind === 'allowed' ? { ...toolChoice, mode: 'auto' } : { kind: 'auto' },
  };
  const order = served && [served.tag, ...(provider.order ?? []).filter((tag) => tag !== served.tag)];
  return {
    ...request,
    ...(served !== undefined && keptModel(request, served.model)),
    provider: { ...provider, order },
    canonical: isFinal ? withoutCalls(next) : next,
  };
}

/** The one model that goes on, still as the choice of the router that chose it. */
function keptModel(
  { models, routed }: InferenceRequest,
  model: string,
): Pick<InferenceRequest, 'models' | 'routed'> {
  for (const slug of models) {
    const chosen = routed?.get(slug);
    if (chosen === undefined || chosen instanceof HeadgateError || !chosen.models.includes(model)) continue;
    return { models: [slug], routed: new Map([[slug, { ...chosen, models: [model] }]]) };
  }
  return { models: [model] };
}

function withoutCalls(request: CanonicalRequest): CanonicalRequest {
  const question = {
    kind: 'message',
    role: 'user',
    content: [{ kind: 'text', text: finalQuestion }],
  } as const;
  return { ...request, items: [...request.items, question], toolChoice: { kind: 'none' } };
}
