import type { UpstreamCall } from '../../ports/upstream.ts';

/** The host of the dialect: the developer interface, or the cloud platform with members of its own. */
export type GeminiHost = 'ai-studio' | 'vertex';

/** How generations of Gemini differ, as documented. */
export interface ModelTraits {
  /** Accepts a thinking budget in tokens, or one of a few levels; undefined without any setting. */
  readonly thinking?: 'budget' | 'level';
  /** Accepts a system instruction apart from the conversation. */
  readonly system: boolean;
  /** Since generation 3: refuses unsigned calls in the current turn. */
  readonly signedCalls: boolean;
  /** Since generation 3: matches calls and responses by id. */
  readonly pairsById: boolean;
  /** Since generation 3: accepts pictures and documents inside a function response. */
  readonly mediaInResponses: boolean;
  /** Since generation 3: accepts nothing else in a turn with responses. */
  readonly responsesAlone: boolean;
  /** Continues a turn of its own; newer models refuse a conversation that ends in one. */
  readonly prefill: boolean;
  /** Since generation 3: accepts functions together with an answer format and with hosted tools. */
  readonly mixesTools: boolean;
}

/**
 * The generation of a Gemini model by its name, such as 2.5 for `gemini-2.5-pro-preview`; undefined for other
 * families.
 */
export function generationOf(upstreamModel: string): number | undefined {
  const name = upstreamModel.split('/').at(-1) ?? '';
  const version = /^gemini-(\d+(?:\.\d+)?)/.exec(name)?.[1];
  if (version !== undefined) return Number(version);
  // Names such as gemini-flash-latest always mean the newest generation.
  return /^gemini-.*latest$/.test(name) ? 3 : undefined;
}

/** The traits of the model of a call. */
export function modelTraits({ endpoint, model }: Pick<UpstreamCall, 'endpoint' | 'model'>): ModelTraits {
  const generation = generationOf(endpoint.upstreamModel);
  const third = generation !== undefined && generation >= 3;
  return {
    thinking: thinkingOf(generation, endpoint.upstreamModel, model.reasoning !== undefined),
    system: !/gemma-[23]/.test(endpoint.upstreamModel),
    signedCalls: third,
    pairsById: third,
    mediaInResponses: third,
    responsesAlone: third,
    prefill: !third || !refusesPrefill(endpoint.upstreamModel, generation),
    mixesTools: third,
  };
}

/** Since 3.6, and the smaller 3.5. */
function refusesPrefill(upstreamModel: string, generation: number): boolean {
  const isSmall = upstreamModel.includes('lite');
  return generation >= 3.6 || (isSmall && generation >= 3.5) || /flash.*latest/.test(upstreamModel);
}

function thinkingOf(
  generation: number | undefined,
  upstreamModel: string,
  reasons: boolean,
): ModelTraits['thinking'] {
  if (generation === undefined) return reasons ? 'level' : undefined;
  if (generation >= 3) return 'level';
  // Drawing models think since the third generation.
  return generation >= 2.5 && !upstreamModel.includes('image') ? 'budget' : undefined;
}
