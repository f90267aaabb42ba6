import type * as Wire from 'openai/resources/responses/responses';
import { takesParameter } from '../../core/parameters.ts';
import { reasoningEffort } from '../../core/reasoning-effort.ts';
import type { CanonicalRequest, Item } from '../../core/request.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import type { JsonObject } from '../../util/json.ts';
import type { Adapter, WireRequest } from '../adapter.ts';
import { asksForStream } from '../asks-for-stream.ts';
import { createEmbeddingDecoder, encodeOpenaiEmbeddings, readOpenaiEmbeddings } from '../embeddings.ts';
import { fitCacheKey } from '../fit-cache-key.ts';
import { enforceable, withoutLookAround } from '../fit-output-schema.ts';
import { countOf } from '../lenient.ts';
import { readFailure } from '../openai-failures.ts';
import { pickMembers } from '../pick-members.ts';
import { requestedTier } from '../requested-tier.ts';
import { encodeItems } from './encode-items.ts';
import { encodeTools } from './encode-tools.ts';
import { type ResponsesProfile, responsesProfile } from './quirks.ts';
import { ResponsesDecoder } from './responses-decoder.ts';
import { responsesSupport } from './support.ts';

/**
 * Encodes a request as a call in the Responses dialect, never stored. Omits parameters that the endpoint is declared
 * not to support. Translation has rewritten what the dialect cannot express (see `responsesSupport`).
 */
function encodeRequest(call: UpstreamCall): WireRequest {
  const { provider, upstreamModel } = call.endpoint;
  const { request } = call;
  const profile = responsesProfile(provider);
  const takes = (member: string) => !profile.omit.has(member);
  const key = provider.apiKey?.reveal();
  const streamed = asksForStream(call);
  // The models that accept breakpoints are those that accept these options.
  const marks = request.promptCacheOptions !== undefined && takes('prompt_cache_options');
  return {
    path: '/responses',
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    body: {
      model: upstreamModel,
      stream: streamed,
      store: false,
      instructions: takes('instructions') ? request.instructions : undefined,
      prompt: request.prompt,
      // A template may be the whole prompt.
      input:
        request.items.length === 0 && request.prompt !== undefined
          ? undefined
          : encodeItems(
              takes('instructions') ? request : { ...request, items: withInstructions(request) },
              profile,
              marks,
            ),
      ...encodeTools(call, profile),
      ...encodeSampling(call),
      max_output_tokens: request.maxOutputTokens,
      text: encodeText(call),
      reasoning: encodeReasoning(call, profile),
      include: encodeInclude(call, profile),
      service_tier: takes('service_tier') ? encodeTier(call, profile) : undefined,
      prompt_cache_key: fitCacheKey(request.promptCacheKey),
      prompt_cache_options: marks ? request.promptCacheOptions : undefined,
      safety_identifier: takes('safety_identifier') ? request.endUser : undefined,
      // The default is left out because the newest models no longer know the member.
      truncation: request.truncation === 'auto' ? 'auto' : undefined,
    },
    streamed,
  };
}

type Params = Partial<Wire.ResponseCreateParams>;

function encodeSampling({ request, endpoint }: UpstreamCall): Params {
  const { temperature, topP, topLogprobs } = request.sampling;
  return {
    temperature: takesParameter(endpoint, 'temperature') ? temperature : undefined,
    top_p: takesParameter(endpoint, 'top_p') ? topP : undefined,
    top_logprobs: takesParameter(endpoint, 'top_logprobs') ? topLogprobs : undefined,
  };
}

function encodeText(call: UpstreamCall): Params['text'] {
  const format = encodeFormat(call);
  const verbosity = encodeVerbosity(call);
  return format === undefined && verbosity === undefined ? undefined : { format, verbosity };
}

function encodeFormat({ request, endpoint }: UpstreamCall): Wire.ResponseFormatTextConfig | undefined {
  if (request.format.kind === 'text') return undefined;
  if (request.format.kind === 'json_schema' && takesParameter(endpoint, 'structured_outputs')) {
    const { name, schema, description, strict } = request.format;
    return {
      type: 'json_schema',
      name,
      schema: strict === true ? enforceable(schema) : withoutLookAround(schema),
      description,
      strict,
    };
  }
  // An endpoint without schemas may still enforce JSON.
  return takesParameter(endpoint, 'response_format') ? { type: 'json_object' } : undefined;
}

function encodeVerbosity({ request, endpoint }: UpstreamCall): 'low' | 'medium' | 'high' | undefined {
  const { verbosity } = request;
  if (!takesParameter(endpoint, 'verbosity')) return undefined;
  // The dialect's scale ends at high.
  return verbosity === 'xhigh' || verbosity === 'max' ? 'high' : verbosity;
}

function encodeReasoning(
  { request, model, endpoint }: UpstreamCall,
  { omit, efforts }: ResponsesProfile,
): JsonObject | undefined {
  const control = request.reasoning;
  if (control === undefined || !takesParameter(endpoint, 'reasoning')) return undefined;
  const outputLimit = request.maxOutputTokens ?? endpoint.maxCompletionTokens;
  const effort = reasoningEffort(control, outputLimit, model.reasoning?.supportedEfforts ?? efforts);
  const encoded: Params['reasoning'] = {
    effort: omit.has('reasoning.effort') ? undefined : effort,
    // A hidden summary would still cost money.
    summary: control.exclude === true ? undefined : control.summary,
    context: control.context,
    mode: control.mode,
  };
  return Object.values(encoded).some((value) => value !== undefined) ? { ...encoded } : undefined;
}

/** Details of hosted items that callers request by the same names. */
const details: readonly Wire.ResponseIncludable[] = [
  'file_search_call.results',
  'code_interpreter_call.outputs',
  'computer_call_output.output.image_url',
  'message.input_image.image_url',
];

function encodeInclude(
  call: UpstreamCall,
  { omit, hostedTools }: ResponsesProfile,
): Wire.ResponseIncludable[] | undefined {
  const { request } = call;
  const include: Wire.ResponseIncludable[] = [];
  if (request.includeEncryptedReasoning) include.push('reasoning.encrypted_content');
  if ((encodeSampling(call).top_logprobs ?? 0) > 0) include.push('message.output_text.logprobs');
  if (hostedTools.size > 0) include.push(...details.filter((name) => request.include?.includes(name)));
  // The sources of a search belong to its action here, but the dialect sends them only on request, and not in its
  // first version.
  const searches = request.tools.some(
    (tool) => tool.kind === 'hosted' && /^web_search(_\d|$)/.test(tool.type),
  );
  if (searches) include.push('web_search_call.action.sources');
  const supported = include.filter((name) => !omit.has(name));
  return supported.length > 0 ? supported : undefined;
}

function encodeTier(call: UpstreamCall, { serviceTiers: words }: ResponsesProfile): Params['service_tier'] {
  const tier = requestedTier(call);
  return tier === undefined || words?.includes(tier) === false ? undefined : tier;
}

/** Puts the instructions into a system message, for providers without a member for them. */
function withInstructions({ instructions, items }: CanonicalRequest): readonly Item[] {
  if (!instructions) return items;
  return [{ kind: 'message', role: 'system', content: [{ kind: 'text', text: instructions }] }, ...items];
}

/** The members of a body that a request for its size may have. */
const counted = [
  'model',
  'instructions',
  'input',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'text',
];

/** The Responses dialect of OpenAI and compatible providers: `POST /responses`, never stored. */
export const openaiResponsesAdapter: Adapter = {
  encode: (call) => (call.request.embedding === undefined ? encodeRequest(call) : encodeEmbeddings(call)),
  createDecoder: (call) =>
    call.request.embedding === undefined
      ? new ResponsesDecoder(responsesProfile(call.endpoint.provider).format)
      : createEmbeddingDecoder(call.request.items.length, readOpenaiEmbeddings),
  readFailure: (status, body) => readFailure(status, body),
  support: responsesSupport,
  counting: {
    encode(call) {
      const wire = encodeRequest(call);
      const body = pickMembers(wire.body, counted);
      return { ...wire, path: `${wire.path}/input_tokens`, body, streamed: false };
    },
    read: ({ input_tokens }) => countOf(input_tokens),
  },
};

/** Encodes a call for vectors: `POST /embeddings`. */
function encodeEmbeddings({ request, endpoint }: UpstreamCall): WireRequest {
  const key = endpoint.provider.apiKey?.reveal();
  return {
    path: '/embeddings',
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    body: encodeOpenaiEmbeddings(endpoint.upstreamModel, request),
    streamed: false,
  };
}
