import type { Sampling } from '../../core/request.ts';
import { malformed, nameOf } from '../../schema/fault.ts';
import {
  anyOf,
  handled,
  integer,
  list,
  map,
  number,
  optional,
  type Static,
  Type,
  text,
} from '../../util/json-schema.ts';
import type { WithoutNulls } from './without-nulls.ts';

/**
 * The sampler settings of a request (docs/spec/requests.md#fields); those without a stated bound are read leniently.
 */
export const samplingMembers = {
  temperature: optional(number({ minimum: 0, maximum: 2 })),
  top_p: optional(number({ minimum: 0, maximum: 1 })),
  top_k: optional(integer({ minimum: 0 })),
  frequency_penalty: optional(number({ minimum: -2, maximum: 2 })),
  presence_penalty: optional(number({ minimum: -2, maximum: 2 })),
  top_logprobs: optional(integer({ minimum: 0, maximum: 20 })),
  min_p: optional(number()),
  top_a: optional(number()),
  repetition_penalty: optional(number()),
  seed: optional(integer()),
  logit_bias: optional(map(number())),
  stop: Type.Optional(handled(anyOf(text(), list(text()), Type.Null()))),
};

const SamplingSchema = Type.Object(samplingMembers);

/** Takes the sampler settings out of a checked body; none is made up (docs/spec/requests.md#sampling). */
export function readSampling(body: WithoutNulls<Static<typeof SamplingSchema>>): Sampling {
  return {
    temperature: body.temperature,
    topP: body.top_p,
    topK: body.top_k,
    frequencyPenalty: body.frequency_penalty,
    presencePenalty: body.presence_penalty,
    topLogprobs: body.top_logprobs,
    minP: body.min_p,
    topA: body.top_a,
    repetitionPenalty: body.repetition_penalty,
    seed: body.seed,
    logitBias: body.logit_bias,
    stop: readStop(body.stop),
  };
}

function readStop(value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) {
    throw malformed('stop', `expected a string or an array of strings, got ${nameOf(value)}`);
  }
  for (const [index, word] of value.entries()) {
    if (typeof word !== 'string') throw malformed(`stop[${index}]`, `expected a string, got ${nameOf(word)}`);
  }
  return value.length === 0 ? undefined : value;
}
