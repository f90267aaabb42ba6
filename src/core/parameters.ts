import {
  anyOf,
  handled,
  integer,
  list,
  map,
  number,
  optional,
  type TSchema,
  Type,
  text,
} from '../util/json-schema.ts';
import type { Sampling } from './request.ts';

/** A sampler setting. A new one is a member of `Sampling` and a row here. */
interface SamplerRow {
  /** Its name in requests is the row's; this is its name in `Sampling`. */
  readonly member: keyof Sampling;
  /** The row of docs/translation.md that it belongs to. */
  readonly feature: `sampling.${string}`;
  /** What a body may say; one without a stated bound is read leniently (docs/spec/requests.md#fields). */
  readonly schema: TSchema;
  /** What most dialects do with it: each says how it handles `stated` ones, most have no `rare` one. */
  readonly usually: 'stated' | 'rare';
  /** Inference engines have it; the maker of the chat dialect never did. */
  readonly ofEngines?: true;
}

const samplerRows = {
  temperature: {
    member: 'temperature',
    feature: 'sampling.temperature',
    schema: optional(number({ minimum: 0, maximum: 2 })),
    usually: 'stated',
  },
  top_p: {
    member: 'topP',
    feature: 'sampling.top_p',
    schema: optional(number({ minimum: 0, maximum: 1 })),
    usually: 'stated',
  },
  top_k: {
    member: 'topK',
    feature: 'sampling.top_k',
    schema: optional(integer({ minimum: 0 })),
    usually: 'stated',
    ofEngines: true,
  },
  min_p: {
    member: 'minP',
    feature: 'sampling.min_p',
    schema: optional(number()),
    usually: 'rare',
    ofEngines: true,
  },
  top_a: {
    member: 'topA',
    feature: 'sampling.top_a',
    schema: optional(number()),
    usually: 'rare',
    ofEngines: true,
  },
  frequency_penalty: {
    member: 'frequencyPenalty',
    feature: 'sampling.penalties',
    schema: optional(number({ minimum: -2, maximum: 2 })),
    usually: 'rare',
  },
  presence_penalty: {
    member: 'presencePenalty',
    feature: 'sampling.penalties',
    schema: optional(number({ minimum: -2, maximum: 2 })),
    usually: 'rare',
  },
  repetition_penalty: {
    member: 'repetitionPenalty',
    feature: 'sampling.repetition_penalty',
    schema: optional(number()),
    usually: 'rare',
    ofEngines: true,
  },
  seed: { member: 'seed', feature: 'sampling.seed', schema: optional(integer()), usually: 'rare' },
  stop: {
    member: 'stop',
    feature: 'sampling.stop',
    schema: Type.Optional(handled(anyOf(text(), list(text()), Type.Null()))),
    usually: 'stated',
  },
  logit_bias: {
    member: 'logitBias',
    feature: 'sampling.logit_bias',
    schema: optional(map(number())),
    usually: 'rare',
  },
  top_logprobs: {
    member: 'topLogprobs',
    feature: 'sampling.logprobs',
    schema: optional(integer({ minimum: 0, maximum: 20 })),
    usually: 'rare',
  },
} as const satisfies Record<string, SamplerRow>;

type Rows = typeof samplerRows;

/** The name of a sampler setting in requests, which is also the parameter's. */
export type SamplerName = keyof Rows;

/** The feature of a sampler setting. */
export type SamplerFeature = Rows[SamplerName]['feature'];

/** Features of samplers that most dialects lack. */
type RareSamplerFeature = {
  [Name in SamplerName]: Rows[Name]['usually'] extends 'rare' ? Rows[Name]['feature'] : never;
}[SamplerName];

/** The sampler settings in order, each with its name in requests. */
export const samplers: readonly (SamplerRow & {
  readonly name: SamplerName;
  readonly feature: SamplerFeature;
})[] = Object.entries(samplerRows).map(([name, row]) => ({ ...row, name: name as SamplerName }));

/** Samplers that the chat dialect's maker never had; inference engines have them. */
export const samplersOfEngines: readonly SamplerName[] = samplers
  .filter(({ ofEngines }) => ofEngines === true)
  .map(({ name }) => name);

/** What bodies may say about sampling, member by member. */
export const samplingMembers = Object.fromEntries(samplers.map(({ name, schema }) => [name, schema])) as {
  readonly [Name in SamplerName]: Rows[Name]['schema'];
};

/** One value for each feature of samplers, in the order of the rows. @param of Is given its names in requests. */
export function bySamplerFeature<Value>(
  of: (names: readonly SamplerName[]) => Value,
): Readonly<Record<SamplerFeature, Value>> {
  const groups = Map.groupBy(samplers, ({ feature }) => feature);
  return Object.fromEntries(
    [...groups].map(([feature, rows]) => [feature, of(rows.map(({ name }) => name))]),
  ) as Record<SamplerFeature, Value>;
}

/** The same value for each feature of samplers that most dialects lack. */
export function byRareSampler<Value>(value: Value): Readonly<Record<RareSamplerFeature, Value>> {
  return Object.fromEntries(
    samplers.filter(({ usually }) => usually === 'rare').map(({ feature }) => [feature, value]),
  ) as Record<RareSamplerFeature, Value>;
}

/** The parameters that an endpoint may declare to support (docs/spec/routing.md#parameters). */
export const parameterNames = [
  ...(Object.keys(samplerRows) as SamplerName[]),
  'logprobs',
  'max_tokens',
  'max_completion_tokens',
  'prediction',
  'response_format',
  'structured_outputs',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'include_reasoning',
  'reasoning',
  'reasoning_effort',
  'web_search_options',
  'verbosity',
] as const;

/** Equivalent names of the vocabulary: an endpoint that has one supports the other. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  max_tokens: ['max_completion_tokens'],
  max_completion_tokens: ['max_tokens'],
  response_format: ['structured_outputs'],
  reasoning: ['reasoning_effort', 'include_reasoning'],
  reasoning_effort: ['reasoning'],
  top_logprobs: ['logprobs'],
};

/**
 * Whether an endpoint accepts a parameter of the vocabulary of docs/spec/routing.md#parameters: one that it declares,
 * or any when it declares none. The adapter decides what its provider accepts at all.
 */
export function takesParameter(
  { supportedParameters: declared }: { readonly supportedParameters?: ReadonlySet<string> },
  name: string,
): boolean {
  if (declared === undefined || declared.has(name)) return true;
  return (synonyms[name] ?? []).some((other) => declared.has(other));
}
