import type { UpstreamCall } from '../../ports/upstream.ts';

/** Who speaks the dialect: the developer interface, or the cloud platform with members of its own. */
export type GeminiHost = 'ai-studio' | 'vertex';

/** What generations of Gemini differ in, as documented. */
export interface ModelTraits {
  /** Takes a thinking budget in tokens, or one of a few levels, or says nothing of thinking. */
  readonly thinking?: 'budget' | 'level';
  /** Takes a system instruction apart from the conversation. */
  readonly system: boolean;
  /** Third generation on: refuses calls of the current turn that come back unsigned. */
  readonly signedCalls: boolean;
  /** Third generation on: pairs calls and responses by id. */
  readonly pairsById: boolean;
  /** Third generation on: takes pictures and documents inside a function response. */
  readonly mediaInResponses: boolean;
  /** Third generation on: takes nothing else beside the responses of a turn. */
  readonly responsesAlone: boolean;
  /** Goes on from a turn of its own; newer models refuse a conversation that ends in one. */
  readonly prefill: boolean;
  /** Third generation on: takes functions together with a wanted format, and with tools of its own. */
  readonly mixesTools: boolean;
}

/** The generation of a Gemini model by its name, 2.5 for `gemini-2.5-pro-preview`; undefined for other families. */
export function generationOf(upstreamModel: string): number | undefined {
  const name = upstreamModel.split('/').at(-1) ?? '';
  const version = /^gemini-(\d+(?:\.\d+)?)/.exec(name)?.[1];
  if (version !== undefined) return Number(version);
  // Names such as gemini-flash-latest move on to the newest generation.
  return /^gemini-.*latest$/.test(name) ? 3 : undefined;
}

/** The traits of the model a call is for. */
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
  // What draws learned to think in the third generation.
  return generation >= 2.5 && !upstreamModel.includes('image') ? 'budget' : undefined;
}
