import type * as Wire from 'openai/resources/responses/responses';
import type { JsonObject, Tool, ToolChoice } from '../../core/request.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import type { WireRequest } from '../adapter.ts';
import { asksForStream } from '../asks-for-stream.ts';
import { reasoningEffort } from '../reasoning-effort.ts';
import { supports } from '../supported-parameters.ts';
import { encodeItems } from './encode-items.ts';
import { reasoningFormat } from './reasoning-format.ts';

/**
 * The provider call for a request in the Responses dialect, never stored. Parameters the dialect does
 * not have, or the endpoint is declared not to support, are left out.
 *
 * Quirks of the provider that are read: `reasoningFormat` (the format of its reasoning blobs, default
 * `openai-responses-v1`) and `reasoningContent` (true when it takes raw reasoning text back).
 */
export function encodeRequest(call: UpstreamCall): WireRequest {
  const { provider, upstreamModel } = call.endpoint;
  const { request } = call;
  const key = provider.apiKey?.reveal();
  const streamed = asksForStream(call);
  return {
    path: '/responses',
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    body: {
      model: upstreamModel,
      stream: streamed,
      store: false,
      instructions: request.instructions,
      input: encodeItems(request.items, {
        format: reasoningFormat(provider),
        takesContent: provider.quirks.reasoningContent === true,
      }),
      ...encodeTools(call),
      ...encodeSampling(call),
      max_output_tokens: request.maxOutputTokens,
      text: encodeText(call),
      reasoning: encodeReasoning(call),
      include: encodeInclude(call),
      service_tier: encodeTier(call),
      prompt_cache_key: request.promptCacheKey,
      safety_identifier: request.endUser,
      // The default is left out: the newest models no longer know the field.
      truncation: request.truncation === 'auto' ? 'auto' : undefined,
    },
    streamed,
  };
}

type Params = Partial<Wire.ResponseCreateParams>;

/** An unset `strict` is left out and not null, which look-alike providers refuse. */
type WireTool = Wire.CustomTool | (Omit<Wire.FunctionTool, 'strict'> & { readonly strict?: boolean });

function encodeTools({ request, endpoint }: UpstreamCall): JsonObject {
  if (request.tools.length === 0 || !supports(endpoint, 'tools')) return {};
  const choice = encodeToolChoice(request.toolChoice, request.tools);
  return {
    tools: request.tools.map(encodeTool),
    tool_choice: supports(endpoint, 'tool_choice') ? choice : undefined,
    parallel_tool_calls: supports(endpoint, 'parallel_tool_calls') ? request.parallelToolCalls : undefined,
  };
}

function encodeTool(tool: Tool): WireTool {
  const { name, description } = tool;
  if (tool.kind === 'custom') {
    const format = tool.grammar && ({ type: 'grammar', ...tool.grammar } as const);
    return { type: 'custom', name, description, format };
  }
  const parameters = tool.parameters ?? { type: 'object', properties: {} };
  return { type: 'function', name, description, parameters, strict: tool.strict };
}

function encodeToolChoice(choice: ToolChoice, tools: readonly Tool[]): Params['tool_choice'] {
  if (choice.kind === 'tool') return { type: choice.form, name: choice.name };
  if (choice.kind !== 'allowed') return choice.kind;
  return {
    type: 'allowed_tools',
    mode: choice.mode,
    tools: tools
      .filter((tool) => choice.names.includes(tool.name))
      .map((tool) => ({ type: tool.kind, name: tool.name })),
  };
}

function encodeSampling({ request, endpoint }: UpstreamCall): Params {
  const { temperature, topP, topLogprobs } = request.sampling;
  return {
    temperature: supports(endpoint, 'temperature') ? temperature : undefined,
    top_p: supports(endpoint, 'top_p') ? topP : undefined,
    top_logprobs: supports(endpoint, 'top_logprobs', 'logprobs') ? topLogprobs : undefined,
  };
}

function encodeText(call: UpstreamCall): Params['text'] {
  const format = encodeFormat(call);
  const verbosity = encodeVerbosity(call);
  return format === undefined && verbosity === undefined ? undefined : { format, verbosity };
}

function encodeFormat({ request, endpoint }: UpstreamCall): Wire.ResponseFormatTextConfig | undefined {
  if (request.format.kind === 'text') return undefined;
  if (request.format.kind === 'json_schema' && supports(endpoint, 'structured_outputs')) {
    const { name, schema, description, strict } = request.format;
    return { type: 'json_schema', name, schema, description, strict };
  }
  // An endpoint that knows no schemas can still be held to JSON.
  return supports(endpoint, 'response_format') ? { type: 'json_object' } : undefined;
}

function encodeVerbosity({ request, endpoint }: UpstreamCall): 'low' | 'medium' | 'high' | undefined {
  const { verbosity } = request;
  if (!supports(endpoint, 'verbosity')) return undefined;
  // The dialect's scale ends at high.
  return verbosity === 'xhigh' || verbosity === 'max' ? 'high' : verbosity;
}

function encodeReasoning({ request, model, endpoint }: UpstreamCall): Params['reasoning'] {
  const control = request.reasoning;
  if (control === undefined || !supports(endpoint, 'reasoning', 'reasoning_effort')) return undefined;
  const outputLimit = request.maxOutputTokens ?? endpoint.maxCompletionTokens;
  const encoded = {
    effort: reasoningEffort(control, outputLimit, model.reasoning?.supportedEfforts),
    // A summary nobody will see is not paid for.
    summary: control.exclude === true ? undefined : control.summary,
    context: control.context,
    mode: control.mode,
  };
  return Object.values(encoded).some((value) => value !== undefined) ? encoded : undefined;
}

function encodeInclude(call: UpstreamCall): Wire.ResponseIncludable[] | undefined {
  const include: Wire.ResponseIncludable[] = [];
  if (call.request.includeEncryptedReasoning) include.push('reasoning.encrypted_content');
  if ((encodeSampling(call).top_logprobs ?? 0) > 0) include.push('message.output_text.logprobs');
  return include.length > 0 ? include : undefined;
}

function encodeTier({ request, endpoint }: UpstreamCall): Params['service_tier'] {
  if (endpoint.tier !== 'default') return endpoint.tier;
  const asked = request.serviceTier;
  // A dearer or cheaper tier is asked for at its own endpoint only: this one has the default tier's price.
  return asked === 'flex' || asked === 'priority' ? undefined : asked;
}
