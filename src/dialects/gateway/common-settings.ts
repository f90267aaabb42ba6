import { offeredTools } from '../../core/client-tools.ts';
import { efforts } from '../../core/efforts.ts';
import { type SamplerName, samplers, samplingMembers } from '../../core/parameters.ts';
import type {
  CacheControl,
  CanonicalChat,
  ContentPart,
  ReasoningControl,
  Sampling,
} from '../../core/request.ts';
import type { StopCondition } from '../../core/stop-condition.ts';
import { createChecker } from '../../schema/checker.ts';
import { malformed, nameOf } from '../../schema/fault.ts';
import { asList, asObject, type KindTable, rowFor } from '../../schema/kind-table.ts';
import { PluginsSchema } from '../../schema/plugin-schemas.ts';
import { refuseDeep } from '../../schema/refuse-deep.ts';
import type { JsonObject } from '../../util/json.ts';
import {
  anyOf,
  choice,
  flag,
  handled,
  integer,
  list,
  named,
  number,
  optional,
  orNull,
  type Static,
  type TSchema,
  Type,
  text,
} from '../../util/json-schema.ts';
import { ProviderSchema } from './provider.ts';
import { type WithoutNulls, withoutNulls } from './without-nulls.ts';

/** `cache_control`: where a cacheable prefix ends, on a block or, for the last one, on the request. */
export const CacheControlSchema = Type.Object({
  type: choice('ephemeral'),
  ttl: optional(choice('5m', '1h')),
});

/** `prompt_cache_options`: only blocks with a `prompt_cache_breakpoint` end a prefix (docs/spec/requests.md#fields). */
const PromptCacheOptionsSchema = Type.Object({
  mode: choice('explicit'),
  ttl: optional(text()),
});

/** `prompt_cache_breakpoint` of a content block (docs/spec/requests.md#content-parts). */
const CacheBreakpointSchema = Type.Object({ mode: choice('explicit') });

/** The members every content block may end a cacheable prefix with. */
export const cacheMembers = {
  cache_control: optional(CacheControlSchema),
  prompt_cache_breakpoint: optional(CacheBreakpointSchema),
};

/** What a request says about caching as a whole: set when only explicit breakpoints count. */
export interface CacheRules {
  readonly explicit?: CacheControl;
}

/** Reads `prompt_cache_options`; its lifetime is a free text of which only `1h` means long. */
export function readCacheRules(
  options: Static<typeof PromptCacheOptionsSchema> | null | undefined,
): CacheRules {
  return options ? { explicit: { ttl: options.ttl === '1h' ? '1h' : '5m' } } : {};
}

/** Reads `cache_control`; the lifetime is five minutes unless it says one hour. */
export function readCacheControl(
  control: Static<typeof CacheControlSchema> | null | undefined,
): CacheControl | undefined {
  return control ? { ttl: control.ttl ?? '5m' } : undefined;
}

/** Whether, and for how long, a block ends a cacheable prefix. */
export function readBlockCache(
  block: {
    readonly cache_control?: Static<typeof CacheControlSchema> | null;
    readonly prompt_cache_breakpoint?: Static<typeof CacheBreakpointSchema> | null;
  },
  rules: CacheRules,
): CacheControl | undefined {
  const marked = block.prompt_cache_breakpoint ? (rules.explicit ?? { ttl: '5m' }) : undefined;
  return rules.explicit === undefined ? (readCacheControl(block.cache_control) ?? marked) : marked;
}

/** Content whose last part ends a cacheable prefix, where it can. */
export function markLast(
  parts: readonly ContentPart[],
  cacheControl: CacheControl | undefined,
): readonly ContentPart[] {
  const last = parts.at(-1);
  if (cacheControl === undefined || last === undefined) return parts;
  if (last.kind !== 'text' && last.kind !== 'image' && last.kind !== 'file') return parts;
  return [...parts.slice(0, -1), { ...last, cacheControl }];
}

/** Sampler settings whose member of the body is the parameter; two have to say something, too. */
const sameNames = [
  ...samplers.map(({ name }) => name).filter((name) => name !== 'stop' && name !== 'top_logprobs'),
  'parallel_tool_calls',
] as const;

/** The members of a body that have the same name and meaning in all dialects; undefined where unset. */
type NamedMembers = { readonly [Name in SamplerName | 'parallel_tool_calls' | 'tool_choice']?: unknown };

/**
 * The names of docs/spec/routing.md#parameters that a request uses. An output limit counts as `max_tokens` and a format
 * as `response_format` or `structured_outputs`; the code that compares names knows which of them are equivalent.
 */
export function namesUsed(body: NamedMembers, canonical: CanonicalChat): string[] {
  const used: string[] = sameNames.filter((name) => body[name] !== undefined);
  const { format, sampling } = canonical;
  const tools = offeredTools(canonical);
  const also: readonly (readonly [string, boolean])[] = [
    ['max_tokens', canonical.maxOutputTokens !== undefined],
    ['top_logprobs', (sampling.topLogprobs ?? 0) > 0],
    ['stop', sampling.stop !== undefined],
    ['tools', tools.length > 0],
    ['tool_choice', tools.length > 0 && body.tool_choice !== undefined],
    ['response_format', format.kind === 'json_object'],
    ['structured_outputs', format.kind === 'json_schema'],
    ['reasoning', canonical.reasoning !== undefined],
    ['verbosity', canonical.verbosity !== undefined],
  ];
  for (const [name, isUsed] of also) if (isUsed) used.push(name);
  return used;
}

/** `reasoning`: how hard the model should think (docs/spec/requests.md#reasoning). */
const ReasoningSchema = Type.Object(
  {
    effort: optional(choice(...efforts)),
    max_tokens: optional(integer({ minimum: 1 })),
    enabled: optional(flag()),
    summary: optional(choice('auto', 'concise', 'detailed')),
    context: optional(choice('auto', 'all_turns', 'current_turn')),
    mode: optional(choice('standard', 'pro')),
    exclude: optional(flag()),
  },
  { additionalProperties: false },
);

const checkReasoning = createChecker(ReasoningSchema);

/** What `reasoning` asks for, and how the response repeats it. */
interface ReadReasoning {
  readonly control?: ReasoningControl;
  readonly echo: JsonObject | null;
}

/** Reads `reasoning`; an object without members asks for nothing. @throws HeadgateError `invalid_request`. */
export function readReasoning(value: unknown): ReadReasoning {
  if (value === undefined || value === null) return { echo: null };
  const { enabled, effort, max_tokens, ...others } = withoutNulls(checkReasoning(value, 'reasoning'));
  const control = { effort: effortOf(enabled, effort, max_tokens), maxTokens: max_tokens, ...others };
  const asked = Object.values(control).some((member) => member !== undefined);
  return { ...(asked ? { control } : {}), echo: withoutNulls({ ...value }) };
}

function effortOf(
  enabled: boolean | undefined,
  effort: ReasoningControl['effort'],
  maxTokens: number | undefined,
): ReasoningControl['effort'] {
  if (enabled === false) return 'none';
  if (enabled === true && effort === undefined && maxTokens === undefined) return 'medium';
  return effort;
}

const most = 30;

/** How many calls of hosted tools are allowed at most; more than 30 are read as 30 (docs/spec/requests.md#fields). */
export function toolCallLimit(wanted: number | undefined): number | undefined {
  return wanted === undefined ? undefined : Math.min(wanted, most);
}

const path = 'stop_server_tools_when';

const schemas = {
  step_count_is: Type.Object({ type: choice('step_count_is'), step_count: integer({ minimum: 1 }) }),
  has_tool_call: Type.Object({ type: choice('has_tool_call'), tool_name: text({ minLength: 1 }) }),
  max_tokens_used: Type.Object({ type: choice('max_tokens_used'), max_tokens: integer({ minimum: 1 }) }),
  max_cost: Type.Object({ type: choice('max_cost'), max_cost_in_dollars: number({ minimum: 0 }) }),
  finish_reason_is: Type.Object({ type: choice('finish_reason_is'), reason: text({ minLength: 1 }) }),
};

/** The public schema of `stop_server_tools_when` (docs/spec/requests.md#stop-conditions). */
export const StopConditionsSchema: TSchema = list(anyOf(...Object.values(schemas)), { minItems: 1 });

type Reader = (value: unknown, path: string) => StopCondition;

const checkSteps = createChecker(schemas.step_count_is);
const checkCall = createChecker(schemas.has_tool_call);
const checkTokens = createChecker(schemas.max_tokens_used);
const checkCost = createChecker(schemas.max_cost);
const checkReason = createChecker(schemas.finish_reason_is);

const conditions: KindTable<Reader> = {
  key: 'type',
  rows: new Map<string, Reader>([
    [
      'step_count_is',
      (value, at) => ({ type: 'step_count_is', stepCount: checkSteps(value, at).step_count }),
    ],
    ['has_tool_call', (value, at) => ({ type: 'has_tool_call', toolName: checkCall(value, at).tool_name })],
    [
      'max_tokens_used',
      (value, at) => ({ type: 'max_tokens_used', maxTokens: checkTokens(value, at).max_tokens }),
    ],
    ['max_cost', (value, at) => ({ type: 'max_cost', maxCost: checkCost(value, at).max_cost_in_dollars })],
    [
      'finish_reason_is',
      (value, at) => ({ type: 'finish_reason_is', reason: checkReason(value, at).reason }),
    ],
  ]),
};

/**
 * Reads `stop_server_tools_when`; undefined where it is unset.
 * @throws HeadgateError `invalid_request`.
 */
export function readStopConditions(value: unknown): readonly StopCondition[] | undefined {
  if (value === undefined || value === null) return undefined;
  const entries = asList(value, path);
  if (entries.length === 0) throw malformed(path, 'must not be empty');
  return entries.map((entry, index) => {
    const place = `${path}[${index}]`;
    return rowFor(conditions, asObject(entry, place), place)(entry, place);
  });
}

const MetadataSchema = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: 16,
  propertyNames: { maxLength: 64, pattern: '^[^\\[\\]]*$', description: 'without brackets' },
  additionalProperties: { type: 'string', maxLength: 512 },
});

const TraceSchema = Type.Object({
  trace_id: optional(text()),
  trace_name: optional(text()),
  span_name: optional(text()),
  generation_name: optional(text()),
  parent_span_id: optional(text()),
});

const ImageConfigSchema = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'array'] },
});

/** A member that own code checks, or null, or nothing. */
export function part(schema: Parameters<typeof handled>[0]) {
  return Type.Optional(handled(orNull(schema)));
}

/** The members of a body that have the same name, bounds and effect in several public dialects (docs/spec/requests.md#fields). */
export const commonMembers = {
  model: optional(text({ minLength: 1 })),
  models: optional(list(text({ minLength: 1 }), { maxItems: 100 })),
  stream: optional(flag()),
  store: optional(flag()),
  ...samplingMembers,
  max_tool_calls: optional(integer({ minimum: 1 })),
  parallel_tool_calls: optional(flag()),
  metadata: optional(MetadataSchema),
  service_tier: optional(choice('auto', 'default', 'fast', 'flex', 'priority', 'scale')),
  session_id: optional(text({ maxLength: 256 })),
  user: optional(text({ maxLength: 256 })),
  safety_identifier: optional(text()),
  prompt_cache_key: optional(text()),
  cache_control: optional(CacheControlSchema),
  prompt_cache_options: optional(PromptCacheOptionsSchema),
  debug: optional(Type.Object({ echo_upstream_body: optional(flag()) })),
  image_config: optional(ImageConfigSchema),
  reasoning: part(named('Reasoning', ReasoningSchema)),
  stop_server_tools_when: part(named('StopConditions', StopConditionsSchema)),
  trace: optional(TraceSchema),
  plugins: part(PluginsSchema),
  provider: part(named('ProviderPreferences', ProviderSchema)),
  // Deprecated: only two words mean something and no value is an error (docs/spec/routing.md#preferences).
  route: Type.Optional(Type.Unknown()),
};

const SamplingSchema = Type.Object(samplingMembers);

/** Requests of one shape are read sooner, whatever they set. */
const unsetSampling: Sampling = Object.fromEntries(samplers.map(({ member }) => [member, undefined]));

/** Takes the sampler settings out of a checked body; none is made up (docs/spec/requests.md#sampling). */
function readSampling(body: WithoutNulls<Static<typeof SamplingSchema>>): Sampling {
  const sampling: { -readonly [Member in keyof Sampling]: unknown } = { ...unsetSampling };
  for (const { name, member } of samplers) {
    if (body[name] !== undefined) sampling[member] = body[name];
  }
  sampling.stop = readStop(body.stop);
  // The schema has checked what each may say.
  return sampling as Sampling;
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
  CanonicalChat,
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
function readCaching(body: CommonBody): Pick<CanonicalChat, 'cacheControl' | 'promptCacheOptions'> {
  const options = body.prompt_cache_options;
  if (options === undefined) return { cacheControl: readCacheControl(body.cache_control) };
  return { promptCacheOptions: { mode: options.mode, ttl: options.ttl ?? undefined } };
}

function readImageConfig(config: JsonObject | undefined): JsonObject | undefined {
  if (config === undefined || Object.keys(config).length === 0) return undefined;
  refuseDeep(config, 'image_config');
  return config;
}
