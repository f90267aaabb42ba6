import { samplers, samplingMembers } from '../../core/parameters.ts';
import type { CanonicalRequest, Sampling } from '../../core/request.ts';
import { malformed, nameOf } from '../../schema/fault.ts';
import { refuseDeep } from '../../schema/refuse-deep.ts';
import type { JsonObject } from '../../util/json.ts';
import { type Static, Type } from '../../util/json-schema.ts';
import { readCacheControl } from './cache.ts';
import { commonMembers } from './common-members.ts';
import { readStopConditions } from './stop-conditions.ts';
import { toolCallLimit } from './tool-call-limit.ts';
import type { WithoutNulls } from './without-nulls.ts';

const SamplingSchema = Type.Object(samplingMembers);

/** Takes the sampler settings out of a checked body; none is made up (docs/spec/requests.md#sampling). */
function readSampling(body: WithoutNulls<Static<typeof SamplingSchema>>): Sampling {
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

const CommonSchema = Type.Object(commonMembers);

type CommonBody = WithoutNulls<Static<typeof CommonSchema>>;

/** The settings of a canonical request that are the same members in several public dialects. */
export type CommonSettings = Pick<
  CanonicalRequest,
  | 'parallelToolCalls'
  | 'sampling'
  | 'serviceTier'
  | 'promptCacheKey'
  | 'cacheControl'
  | 'promptCacheOptions'
  | 'maxToolCalls'
  | 'stopWhen'
  | 'imageConfig'
  | 'endUser'
>;

/**
 * Reads the settings of a checked body that several public dialects share (docs/spec/requests.md#fields).
 * @param hashEndUser Turns an end-user identifier into a pseudonym that may leave the gateway.
 * @throws HeadgateError `invalid_request` when `image_config` is nested too deep.
 */
export function readCommonSettings(body: CommonBody, hashEndUser: (raw: string) => string): CommonSettings {
  const tier = body.service_tier;
  const endUser = body.safety_identifier || body.user;
  return {
    parallelToolCalls: body.parallel_tool_calls,
    sampling: readSampling(body),
    serviceTier: tier === 'fast' ? 'priority' : tier,
    promptCacheKey: body.prompt_cache_key,
    ...readCaching(body),
    // Stop conditions replace the limit altogether (docs/spec/requests.md#stop-conditions).
    maxToolCalls: body.stop_server_tools_when === undefined ? toolCallLimit(body.max_tool_calls) : undefined,
    stopWhen: readStopConditions(body.stop_server_tools_when),
    imageConfig: readImageConfig(body.image_config),
    endUser: endUser ? hashEndUser(endUser) : undefined,
  };
}

/** With `prompt_cache_options` only explicit breakpoints count (docs/spec/requests.md#fields). */
function readCaching(body: CommonBody): Pick<CanonicalRequest, 'cacheControl' | 'promptCacheOptions'> {
  const options = body.prompt_cache_options;
  if (options === undefined) return { cacheControl: readCacheControl(body.cache_control) };
  return { promptCacheOptions: { mode: options.mode, ttl: options.ttl ?? undefined } };
}

function readImageConfig(config: JsonObject | undefined): JsonObject | undefined {
  if (config === undefined || Object.keys(config).length === 0) return undefined;
  refuseDeep(config, 'image_config');
  return config;
}
