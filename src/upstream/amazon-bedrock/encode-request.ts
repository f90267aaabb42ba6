import { breakpointOfTool } from '../../core/breakpoints.ts';
import type { FunctionTool, Sampling, Tool, ToolChoice } from '../../core/request.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import type { WireRequest } from '../adapter.ts';
import { asksForStream, requestedTier, supports } from '../call-facts.ts';
import { claudeTraits } from '../claude-model.ts';
import { fitSamplers } from '../claude-support.ts';
import { strictFunctions } from '../enforced-schemas.ts';
import { fitOutputSchema } from '../fit-output-schema.ts';
import { refusal } from '../refusal.ts';
import { cachePointFor, settleCachePoints } from './cache-points.ts';
import { addressFor, readCredential } from './credentials.ts';
import { PartEncoder } from './encode-content.ts';
import { type Conversation, encodeConversation } from './encode-conversation.ts';
import { type EncodedReasoning, encodeReasoning } from './encode-reasoning.ts';
import { familyOf, type ModelFamily } from './model-family.ts';
import type { ToolConfig, ToolSpec, Turn } from './wire-types.ts';

/**
 * Encodes a request as a call in the Converse dialect.
 *
 * Reads the quirks `region` (where no base address is configured), `guardrailConfig` (sent unchanged),
 * `citeDocuments`, `structuredOutput`, and those of every dialect.
 * @throws HeadgateError `upstream_invalid_request` for what the dialect cannot express, `unprocessable` when the
 * output limit leaves no room for the reasoning, `upstream_credential` for an unusable credential.
 */
export function encodeRequest(call: UpstreamCall): WireRequest {
  const { provider, upstreamModel } = call.endpoint;
  const streamed = asksForStream(call);
  const credential = readCredential(provider);
  return {
    path: `/model/${encodePath(upstreamModel)}/${streamed ? 'converse-stream' : 'converse'}`,
    baseUrl: addressFor(provider, credential),
    headers: {
      accept: streamed ? 'application/vnd.amazon.eventstream' : 'application/json',
      ...(credential?.kind === 'bearer' ? { authorization: `Bearer ${credential.token}` } : {}),
    },
    body: encodeBody(call),
    streamed,
  };
}

function encodeBody(call: UpstreamCall): JsonObject {
  const { request, endpoint } = call;
  const { guardrailConfig } = endpoint.provider.quirks;
  const reasoning = encodeReasoning(call);
  const conversation = encodeTurns(call);
  const isClaude = familyOf(endpoint.upstreamModel) === 'claude';
  const fields = {
    ...reasoning.fields,
    ...encodeTopK(call, reasoning.thinks),
    anthropic_beta: isClaude ? request.betas?.anthropic : undefined,
  };
  const tier = encodeTier(call);
  const toolConfig = encodeTools(call, conversation.messages, reasoning.thinks);
  settleCachePoints(toolConfig?.tools ?? [], conversation, cachePointFor(call)(request.cacheControl));
  return {
    messages: conversation.messages,
    system: conversation.system.length > 0 ? conversation.system : undefined,
    inferenceConfig: definedOnly(encodeInference(call, reasoning)),
    toolConfig,
    guardrailConfig: isObject(guardrailConfig) ? guardrailConfig : undefined,
    additionalModelRequestFields: definedOnly(fields),
    outputConfig: definedOnly({ textFormat: encodeFormat(request.format), effort: reasoning.effort }),
    serviceTier: tier === undefined ? undefined : { type: tier },
  };
}

/** Citations and an answer format exclude each other. */
function encodeTurns(call: UpstreamCall): Conversation {
  const { request, endpoint } = call;
  const cites = endpoint.provider.quirks.citeDocuments === true && request.format.kind === 'text';
  const cachePoint = cachePointFor(call);
  const maker = familyOf(endpoint.upstreamModel) === 'claude' ? 'claude' : 'other';
  const prefill = claudeTraits(endpoint.upstreamModel)?.prefill !== false;
  const parts = new PartEncoder(cachePoint, cites);
  const conversation = encodeConversation(request.items, parts, maker, prefill);
  if (request.instructions?.trim()) conversation.system.unshift({ text: request.instructions });
  return conversation;
}

function encodeInference(call: UpstreamCall, { maxTokens, thinks }: EncodedReasoning): JsonObject {
  const { request, endpoint } = call;
  const { stop = [] } = request.sampling;
  const { temperature, topP } = samplersFor(call);
  const texts = stop.filter((text) => text.trim() !== '');
  const samples = !thinks && claudeTraits(endpoint.upstreamModel)?.samplers !== false;
  return {
    maxTokens: maxTokens ?? request.maxOutputTokens,
    temperature: samples && supports(endpoint, 'temperature') ? temperature : undefined,
    topP: samples && supports(endpoint, 'top_p') ? topP : undefined,
    stopSequences: texts.length > 0 && supports(endpoint, 'stop') ? texts : undefined,
  };
}

function samplersFor({
  request: { sampling },
  endpoint,
}: UpstreamCall): Pick<Sampling, 'temperature' | 'topP'> {
  if (familyOf(endpoint.upstreamModel) === 'claude') return fitSamplers(sampling, endpoint.upstreamModel);
  const { temperature, topP } = sampling;
  return { temperature: temperature === undefined ? undefined : Math.min(temperature, 1), topP };
}

/** `top_k` is not a setting of the interface itself: every maker has its own name for it, or none. */
export const topKs: Partial<Record<ModelFamily, (topK: number) => JsonObject>> = {
  claude: (top_k) => ({ top_k }),
  nova: (topK) => ({ inferenceConfig: { topK } }),
  'nova-2': (topK) => ({ inferenceConfig: { topK } }),
  mistral: (top_k) => ({ top_k }),
  cohere: (k) => ({ k }),
};

function encodeTopK({ request, endpoint }: UpstreamCall, thinks: boolean): JsonObject {
  const { topK } = request.sampling;
  const { upstreamModel } = endpoint;
  if (!topK || thinks || !supports(endpoint, 'top_k') || claudeTraits(upstreamModel)?.samplers === false)
    return {};
  return topKs[familyOf(upstreamModel)]?.(topK) ?? {};
}

function encodeFormat(format: UpstreamCall['request']['format']): JsonObject | undefined {
  if (format.kind !== 'json_schema') return undefined;
  const { name, description } = format;
  const schema = JSON.stringify(fitOutputSchema(format.schema));
  return { type: 'json_schema', structure: { jsonSchema: { schema, name, description } } };
}

function encodeTier(call: UpstreamCall): string | undefined {
  const tier = requestedTier(call);
  return tier === 'auto' || tier === 'scale' ? undefined : tier;
}

/** The object without its undefined members, or undefined when none is left. */
function definedOnly(members: JsonObject): JsonObject | undefined {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined);
  return defined.length > 0 ? Object.fromEntries(defined) : undefined;
}

/** Ids contain colons, and slashes where they are ARNs. */
function encodePath(modelId: string): string {
  return encodeURIComponent(modelId).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Encodes tools and the tool choice. A conversation with calls must declare its tools even when the request offers
 * none, so they are declared by name.
 * @param thinks Whether the model thinks first, which forbids a forced call.
 */
function encodeTools(call: UpstreamCall, messages: readonly Turn[], thinks: boolean): ToolConfig | undefined {
  const { request, endpoint } = call;
  if (request.tools.length === 0 || !supports(endpoint, 'tools')) {
    const names = namesOfCalls(messages);
    return names.length === 0
      ? undefined
      : { tools: names.map((name) => encodeFunction({ kind: 'function', name }, false)) };
  }
  const canBeStrict = endpoint.supportedParameters?.has('structured_outputs') === true;
  const canBeForced = !thinks && claudeTraits(endpoint.upstreamModel)?.forcedCalls !== false;
  const toolChoice =
    supports(endpoint, 'tool_choice') && canBeForced ? encodeChoice(request.toolChoice) : undefined;
  const strict = canBeStrict ? strictFunctions(request.tools) : undefined;
  const pointFor = cachePointFor(call);
  const tools = request.tools.flatMap((tool): ToolSpec[] => {
    const spec = encodeTool(tool, strict?.has(tool) === true);
    const cachePoint = pointFor(breakpointOfTool(tool));
    return cachePoint === undefined ? [spec] : [spec, { cachePoint }];
  });
  return { tools, toolChoice };
}

function namesOfCalls(messages: readonly Turn[]): string[] {
  const calls = messages.flatMap(({ content }) =>
    content.flatMap((block) => ('toolUse' in block && block.toolUse?.name ? [block.toolUse.name] : [])),
  );
  return [...new Set(calls)];
}

function encodeTool(tool: Tool, isStrict: boolean): ToolSpec {
  if (tool.kind !== 'function') throw refusal(`no ${tool.kind} tools`);
  return encodeFunction(tool, isStrict);
}

function encodeFunction({ name, description, parameters }: FunctionTool, isStrict: boolean): ToolSpec {
  const schema = { type: 'object', properties: {}, ...parameters };
  return {
    toolSpec: {
      name,
      // The dialect refuses an empty description.
      description: description?.trim() ? description : undefined,
      inputSchema: { json: isStrict ? fitOutputSchema(schema) : schema },
      strict: isStrict ? true : undefined,
    },
  };
}

/** Undefined leaves the choice to the model. */
function encodeChoice(choice: ToolChoice): ToolConfig['toolChoice'] {
  if (choice.kind === 'tool') return { tool: { name: choice.name } };
  return choice.kind === 'required' ? { any: {} } : undefined;
}
