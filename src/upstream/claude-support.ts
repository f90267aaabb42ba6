import { offeredTools } from '../core/client-tools.ts';
import type { FeatureSupport, RequestTest, ServedBy, Support } from '../core/features.ts';
import type { CanonicalChat, Item, ReasoningControl, ReasoningItem, Sampling } from '../core/request.ts';
import { asksToThink } from '../core/thinking-time.ts';
import { claudeTraits } from './claude-model.ts';
import { asksToBeStrict, strictFunctions } from './enforced-schemas.ts';

/**
 * Whether a model's reasoning is turned off, set by a budget of tokens, or set by an effort
 * (docs/spec/requests.md#reasoning).
 */
export function claudeReasoningOf(
  call: ServedBy & { readonly request: CanonicalChat },
  control: ReasoningControl,
): 'stopped' | 'budget' | 'effort' {
  if (isStopped(control)) return 'stopped';
  if (!takesBudget(call, control)) return 'effort';
  if (!lacksThoughts(call.request)) return 'budget';
  // An adaptive model may also begin to think in the middle of a turn.
  return claudeTraits(call.endpoint.upstreamModel)?.adaptive === true ? 'effort' : 'stopped';
}

/** Whether a model takes its reasoning as a budget of tokens (docs/spec/requests.md#reasoning), else as an effort. */
function takesBudget({ model, endpoint }: ServedBy, { maxTokens }: ReasoningControl): boolean {
  const stated = model.reasoning?.supportsMaxTokens;
  const traits = claudeTraits(endpoint.upstreamModel);
  if (traits?.budgets === false) return false;
  if (stated !== undefined || traits === undefined) return stated ?? true;
  return !traits.adaptive || maxTokens !== undefined;
}

/** Messages of a conversation with Claude at most. */
export const claudeMessages = 1000;

/** Whether a request turns reasoning off. */
function isStopped({ effort, maxTokens }: ReasoningControl): boolean {
  return effort === 'none' && maxTokens === undefined;
}

/**
 * Whether the turn that the model continues has calls but no thought sealed by Claude, as when another model began
 * it. With a budget, Claude refuses such a turn unless it begins with a thought of its own.
 */
function lacksThoughts({ items }: CanonicalChat): boolean {
  let calls = false;
  let answered = false;
  let spoke = false;
  for (const item of items.toReversed()) {
    if (item.kind === 'call_output') answered = true;
    if (item.kind === 'reasoning' && spoke && isSealedByClaude(item)) return false;
    if (item.kind === 'reasoning') continue;
    const models = isOfModel(item);
    // A text answer to which the user replied ended the turn before.
    if (models && !spoke && !answered && item.kind === 'message') return calls;
    if (models) {
      calls ||= item.kind !== 'message';
      answered = false;
    }
    spoke = models;
  }
  return calls;
}

function isOfModel(item: Item): boolean {
  if (item.kind === 'message') return item.role === 'assistant';
  return item.kind === 'call' || item.kind === 'hosted' || item.kind === 'service';
}

function isSealedByClaude({ format, signature, encrypted }: ReasoningItem): boolean {
  if (format === undefined) return signature !== undefined;
  return format === 'anthropic-claude-v1' && (signature ?? encrypted) !== undefined;
}

const smallestBudget = 1024;

const effortMoves: RequestTest = (request, at) => {
  const { reasoning } = request;
  const traits = claudeTraits(at.endpoint.upstreamModel);
  if (reasoning?.effort === undefined) return false;
  if (isStopped(reasoning)) return traits !== undefined && traits.unthinking !== 'disabled';
  if (takesBudget(at, reasoning)) return lacksThoughts(request);
  return traits?.efforts.includes(reasoning.effort) === false;
};

const budgetMoves: RequestTest = (request, at) => {
  const { reasoning } = request;
  if (reasoning?.maxTokens === undefined) return false;
  return reasoning.maxTokens < smallestBudget || !takesBudget(at, reasoning) || lacksThoughts(request);
};

/** A reasoning model cannot be forced to call a tool, and some newer models never can. */
export const chosenUnlessReasoning: Support = {
  adapted: 'while the model reasons, or where it cannot be forced, it chooses freely',
  when: (request, { endpoint }) =>
    asksToThink(request) || claudeTraits(endpoint.upstreamModel)?.forcedCalls === false,
};

/** Empty stop texts, which the provider refuses. */
export const blankStops: Support = {
  adapted: 'blank texts are left out',
  when: ({ sampling }) => sampling.stop?.some((text) => text.trim() === '') === true,
};

/** A model without support would refuse it. */
export const strictWhereDeclared: Support = {
  adapted:
    'asked for where the endpoint declares `structured_outputs`, about schemas it can enforce, and at most 20 functions with 24 optional members and 16 unions in all',
  when: (request, { endpoint }) => {
    if (endpoint.supportedParameters?.has('structured_outputs') !== true) return true;
    const tools = offeredTools(request);
    return strictFunctions(tools).size < tools.filter(asksToBeStrict).length;
  },
};

/** How Claude models handle reasoning, on every host. */
export const claudeReasoning = {
  stopsReasoning: true,
  'reasoning.effort': {
    adapted:
      'a budget, or the nearest effort of models that take efforts; a budget not while it goes on from calls of another model',
    when: effortMoves,
  },
  'reasoning.max_tokens': {
    adapted:
      'at least 1024; models that take efforts get the nearest; not while it goes on from calls of another model',
    when: budgetMoves,
  },
} as const satisfies Partial<FeatureSupport>;

const unsupported: Support = { dropped: 'the model does not take it' };

/** Samplers of models that accept none. */
const noSamplers = {
  'sampling.temperature': unsupported,
  'sampling.top_p': unsupported,
  'sampling.top_k': unsupported,
} as const satisfies Partial<FeatureSupport>;

/**
 * Temperature and top_p as Claude accepts them. Models since 4.1 refuse both together, so the one without effect is
 * omitted there, else top_p.
 */
export function fitSamplers(
  { temperature, topP }: Sampling,
  upstreamModel: string,
): Pick<Sampling, 'temperature' | 'topP'> {
  const capped = temperature === undefined ? undefined : Math.min(temperature, 1);
  if (capped === undefined || topP === undefined) return { temperature: capped, topP };
  if (topP === 1) return { temperature: capped };
  if (capped === 1) return { topP };
  return claudeTraits(upstreamModel)?.bothSamplers === false
    ? { temperature: capped }
    : { temperature: capped, topP };
}

const losesTopP: RequestTest = (request, { endpoint }) =>
  request.sampling.topP !== fitSamplers(request.sampling, endpoint.upstreamModel).topP &&
  request.sampling.topP !== 1;

/** Samplers of models that accept none while they reason; the model may also accept none at all. */
const samplers = {
  'sampling.temperature': {
    adapted: 'at most 1; models that reason or refuse it get none',
    when: (request) => (request.sampling.temperature ?? 0) > 1 || asksToThink(request),
  },
  'sampling.top_p': {
    adapted:
      'models that reason or refuse it get none, nor beside `temperature` where one excludes the other',
    when: (request, at) => asksToThink(request) || losesTopP(request, at),
  },
  'sampling.top_k': {
    adapted: 'models that reason or refuse it get none',
    when: (request) => request.sampling.topK !== 0 && asksToThink(request),
  },
} as const satisfies Partial<FeatureSupport>;

/** The support for samplers at a model, which may be a Claude model. */
export function samplersOf(
  upstreamModel = '',
): Pick<FeatureSupport, 'sampling.temperature' | 'sampling.top_p' | 'sampling.top_k'> {
  return claudeTraits(upstreamModel)?.samplers === false ? noSamplers : samplers;
}
