import { samplers, samplingMembers } from '../../core/parameters.ts';
import type { Sampling } from '../../core/request.ts';
import { malformed, nameOf } from '../../schema/fault.ts';
import { type Static, Type } from '../../util/json-schema.ts';
import type { WithoutNulls } from './without-nulls.ts';

const SamplingSchema = Type.Object(samplingMembers);

/** Takes the sampler settings out of a checked body; none is made up (docs/spec/requests.md#sampling). */
export function readSampling(body: WithoutNulls<Static<typeof SamplingSchema>>): Sampling {
  const stated = Object.fromEntries(samplers.map(({ name, member }) => [member, body[name]]));
  return { ...stated, stop: readStop(body.stop) };
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
