import type { JsonObject } from '../../../util/json.ts';
import type { ResponseEcho } from '../../gateway/assembly/response.ts';
import { toolCallLimit } from '../../gateway/tool-call-limit.ts';
import type { WithoutNulls } from '../../gateway/without-nulls.ts';
import type { ResponsesRequest } from './responses-request-schema.ts';

/**
 * The values that a response shows for unset settings, and for the tier where no provider reports it
 * (docs/spec/answers.md#unset-settings).
 */
const unsetAsNull = {
  temperature: null,
  top_p: null,
  presence_penalty: null,
  frequency_penalty: null,
  service_tier: null,
};
const unsetAsDefault = {
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  service_tier: 'default',
};

/** The members that are repeated in a form of their own. */
export interface EchoParts {
  readonly tools: readonly JsonObject[];
  readonly toolChoice: string | JsonObject;
  readonly reasoning: JsonObject | null;
  readonly text: JsonObject;
  readonly prompt?: JsonObject;
}

/**
 * The settings a response repeats from its request (docs/spec/answers.md#response-object).
 * @param defaults Whether what is unset shows the open standard's defaults instead of null.
 */
export function buildEcho(
  body: WithoutNulls<ResponsesRequest>,
  parts: EchoParts,
  defaults: boolean,
): ResponseEcho {
  const unset = defaults ? unsetAsDefault : unsetAsNull;
  return {
    instructions: orNull(body.instructions),
    metadata: orNull(body.metadata),
    temperature: body.temperature ?? unset.temperature,
    top_p: body.top_p ?? unset.top_p,
    presence_penalty: body.presence_penalty ?? unset.presence_penalty,
    frequency_penalty: body.frequency_penalty ?? unset.frequency_penalty,
    tools: parts.tools,
    tool_choice: parts.toolChoice,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    max_output_tokens: orNull(body.max_output_tokens),
    max_tool_calls: orNull(toolCallLimit(body.max_tool_calls)),
    previous_response_id: null,
    safety_identifier: orNull(body.safety_identifier),
    prompt_cache_key: orNull(body.prompt_cache_key),
    user: orNull(body.user),
    reasoning: parts.reasoning,
    text: parts.text,
    truncation: body.truncation ?? 'disabled',
    store: false,
    background: false,
    top_logprobs: body.top_logprobs ?? 0,
    service_tier: unset.service_tier,
    ...(parts.prompt === undefined ? {} : { prompt: parts.prompt }),
    ...echoCacheOptions(body.prompt_cache_options),
  };
}

function echoCacheOptions(options: WithoutNulls<ResponsesRequest>['prompt_cache_options']) {
  if (options === undefined) return {};
  const { mode, ttl } = options;
  return { prompt_cache_options: ttl === undefined ? { mode } : { mode, ttl } };
}

function orNull<Value>(value: Value | undefined): Value | null {
  return value ?? null;
}
