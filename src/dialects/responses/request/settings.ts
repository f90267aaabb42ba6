import type { CanonicalRequest } from '../../../core/request.ts';
import { refuseDeep } from '../../../schema/refuse-deep.ts';
import type { JsonObject } from '../../../util/json.ts';
import { readCacheControl } from './cache.ts';
import type { ResponsesRequest } from './responses-request-schema.ts';
import { readSampling } from './sampling.ts';
import { toolCallLimit } from './tool-call-limit.ts';
import type { WithoutNulls } from './without-nulls.ts';

/** The members of a canonical request that each come from one or two members of the body. */
export type Settings = Omit<
  CanonicalRequest,
  'items' | 'tools' | 'toolChoice' | 'format' | 'verbosity' | 'reasoning' | 'prompt' | 'betas'
>;

type Body = WithoutNulls<ResponsesRequest>;

const sealedReasoning = 'reasoning.encrypted_content';

/**
 * Reads the plain settings of a checked body (docs/spec/requests.md#fields).
 * @param hashEndUser Turns an end-user identifier into a pseudonym that may leave the gateway.
 * @throws HeadgateError `invalid_request` when `image_config` is nested too deep.
 */
export function readSettings(body: Body, hashEndUser: (raw: string) => string): Settings {
  const tier = body.service_tier;
  const endUser = body.safety_identifier || body.user;
  const include = body.include?.filter((member) => member !== sealedReasoning);
  return {
    instructions: body.instructions || undefined,
    parallelToolCalls: body.parallel_tool_calls,
    maxOutputTokens: body.max_output_tokens,
    sampling: readSampling(body),
    includeEncryptedReasoning: body.include?.includes(sealedReasoning) ?? false,
    include: include?.length ? [...new Set(include)] : undefined,
    outputModalities: body.modalities?.length ? [...new Set(body.modalities)] : ['text'],
    serviceTier: tier === 'fast' ? 'priority' : tier,
    promptCacheKey: body.prompt_cache_key,
    ...readCaching(body),
    truncation: body.truncation ?? 'disabled',
    // Stop conditions replace the limit altogether (docs/spec/requests.md#stop-conditions).
    maxToolCalls: body.stop_server_tools_when === undefined ? toolCallLimit(body.max_tool_calls) : undefined,
    imageConfig: readImageConfig(body.image_config),
    endUser: endUser ? hashEndUser(endUser) : undefined,
  };
}

/** With `prompt_cache_options` only explicit breakpoints count (docs/spec/requests.md#fields). */
function readCaching(body: Body): Pick<CanonicalRequest, 'cacheControl' | 'promptCacheOptions'> {
  const options = body.prompt_cache_options;
  if (options === undefined) return { cacheControl: readCacheControl(body.cache_control) };
  return { promptCacheOptions: { mode: options.mode, ttl: options.ttl ?? undefined } };
}

function readImageConfig(config: JsonObject | undefined): JsonObject | undefined {
  if (config === undefined || Object.keys(config).length === 0) return undefined;
  refuseDeep(config, 'image_config');
  return config;
}
