import {
  type ContentPart,
  type FunctionTool,
  type HostedItem,
  type HostedTool,
  type ImagePart,
  type Item,
  isSystem,
  type Sampling,
  type TextFormat,
  type Tool,
  type ToolChoice,
} from '../../core/request.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import type { WireRequest } from '../adapter.ts';
import { asksForStream, requestedTier } from '../call-facts.ts';
import { textOf } from '../lenient.ts';
import { plainReferences } from '../plain-references.ts';
import { refusal } from '../refusal.ts';
import { encodeParts, type PartContext } from './encode-content.ts';
import { encodeThinking } from './encode-thinking.ts';
import { type GeminiHost, generationOf, type ModelTraits, modelTraits } from './model-traits.ts';
import { TurnBuilder } from './turn-builder.ts';
import type * as Wire from './wire.ts';
import type { Content, GenerateContentBody, GenerationConfig, Part, ServiceTier } from './wire.ts';

/**
 * Encodes a request as a call in the Gemini dialect. On Vertex it contains no credential, and its path follows
 * `.../projects/<project>/locations/<location>`.
 */
export function encodeRequest(call: UpstreamCall, host: GeminiHost): WireRequest {
  const { endpoint } = call;
  const streamed = asksForStream(call);
  const method = streamed ? 'streamGenerateContent?alt=sse' : 'generateContent';
  const key = host === 'ai-studio' ? endpoint.provider.apiKey?.reveal() : undefined;
  return {
    path: `/${modelPath(endpoint.upstreamModel, host)}:${method}`,
    headers: { ...(key === undefined ? {} : { 'x-goog-api-key': key }), ...tierHeader(call, host) },
    body: { ...encodeBody(call, host) },
    streamed,
  };
}

/** The path needs a collection before the model's name; names that contain one stay unchanged. */
export function modelPath(upstreamModel: string, host: GeminiHost): string {
  const path = upstreamModel.split('/').map(encodeURIComponent).join('/');
  if (upstreamModel.includes('/')) return path;
  return host === 'vertex' ? `publishers/google/models/${path}` : `models/${path}`;
}

function encodeBody(call: UpstreamCall, host: GeminiHost): GenerateContentBody {
  const { request, endpoint } = call;
  const traits = modelTraits(call);
  const { baseUrl = '' } = endpoint.provider;
  const context: PartContext = { host, filesAt: host === 'ai-studio' ? `${baseUrl}/files/` : undefined };
  const tools = encodeTools(call, host);
  // Older models refuse an answer format together with tools.
  const inWords = tools.tools !== undefined && !traits.mixesTools;
  const wish = inWords ? describeFormat(request.format) : undefined;
  const instructions = [request.instructions, wish].filter(Boolean).join('\n\n');
  const { system, contents } = encodeConversation(instructions, request.items, traits, context);
  return {
    contents,
    systemInstruction: system.length > 0 ? { parts: system } : undefined,
    ...tools,
    generationConfig: encodeGeneration(call, inWords),
    serviceTier: host === 'ai-studio' ? encodeTier(call) : undefined,
  };
}

function encodeGeneration(call: UpstreamCall, inWords: boolean): GenerationConfig | undefined {
  const { request } = call;
  const config: GenerationConfig = {
    maxOutputTokens: request.maxOutputTokens,
    ...encodeSampling(request.sampling),
    ...(inWords ? {} : encodeFormat(request.format)),
    responseModalities: request.outputModalities.includes('image')
      ? request.outputModalities.map((modality) => modality.toUpperCase())
      : undefined,
    mediaResolution: mediaResolution(request.items, call.endpoint.upstreamModel),
    imageConfig: request.imageConfig && camelCased(request.imageConfig),
    thinkingConfig: encodeThinking(call),
  };
  return Object.values(config).some((value) => value !== undefined) ? config : undefined;
}

/** How many stop texts a request may have. */
export const maxStops = 5;

function encodeSampling(sampling: Sampling): GenerationConfig {
  const { topLogprobs = 0 } = sampling;
  const stop = sampling.stop?.filter((text) => text !== '').slice(0, maxStops) ?? [];
  return {
    temperature: sampling.temperature,
    topP: sampling.topP,
    // 0 turns it off, which equals leaving it out.
    topK: sampling.topK || undefined,
    frequencyPenalty: sampling.frequencyPenalty,
    presencePenalty: sampling.presencePenalty,
    seed: sampling.seed,
    stopSequences: stop.length > 0 ? stop : undefined,
    responseLogprobs: topLogprobs > 0 ? true : undefined,
    logprobs: topLogprobs > 0 ? topLogprobs : undefined,
  };
}

function encodeFormat(format: TextFormat): GenerationConfig {
  if (format.kind === 'text') return {};
  const responseMimeType = 'application/json';
  if (format.kind === 'json_object') return { responseMimeType };
  return { responseMimeType, responseJsonSchema: withoutDialect(format.schema) };
}

function describeFormat(format: TextFormat): string | undefined {
  if (format.kind === 'text') return undefined;
  const json = 'When you answer, answer with one JSON object and nothing else: no other text, no code fence.';
  return format.kind === 'json_object'
    ? json
    : `${json} It must fit this JSON schema:\n${JSON.stringify(format.schema)}`;
}

function encodeTier(call: UpstreamCall): ServiceTier | undefined {
  const tier = requestedTier(call);
  if (tier === 'default') return 'standard';
  return tier === 'flex' || tier === 'priority' ? tier : undefined;
}

/** The cloud platform takes the tier in a header. */
function tierHeader(call: UpstreamCall, host: GeminiHost): Record<string, string> {
  const tier = host === 'vertex' ? encodeTier(call) : undefined;
  return tier === 'flex' || tier === 'priority' ? { 'x-vertex-ai-llm-shared-request-type': tier } : {};
}

function camelCased(settings: object): object {
  const spell = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [spell(name), value]));
}

const resolutions: { readonly [Detail in ImagePart['detail']]?: GenerationConfig['mediaResolution'] } = {
  low: 'MEDIA_RESOLUTION_LOW',
  high: 'MEDIA_RESOLUTION_HIGH',
  original: 'MEDIA_RESOLUTION_HIGH',
};

/**
 * The resolution at which the model views pictures. The dialect has one setting for all media of a request, so it is
 * set only when all pictures agree and there are no files or videos. Undefined leaves it to the provider.
 */
function mediaResolution(items: readonly Item[], upstreamModel: string): GenerationConfig['mediaResolution'] {
  // Models that draw, and open models, do not have this setting.
  if ((generationOf(upstreamModel) ?? 0) < 2 || upstreamModel.includes('image')) return undefined;
  const shown = items.flatMap(partsOf);
  const details = new Set(shown.flatMap((part) => (part.kind === 'image' ? part.detail : [])));
  const [detail] = details;
  const hasOthers = shown.some(({ kind }) => kind === 'file' || kind === 'video');
  return detail === undefined || details.size > 1 || hasOthers ? undefined : resolutions[detail];
}

function partsOf(item: Item): readonly ContentPart[] {
  if (item.kind === 'message') return item.content;
  return item.kind === 'call_output' ? item.output : [];
}

/** The conversation in the dialect's division. */
interface Conversation {
  readonly system: readonly Part[];
  readonly contents: readonly Content[];
}

/**
 * Divides instructions and items into a system instruction and turns. Only system text before everything else goes
 * into the instruction. Later system text joins the user's turn at its place, because at the front it would refer to
 * something else. Models without a system instruction get it as the first user text; so does a conversation without
 * other items.
 */
function encodeConversation(
  instructions: string | undefined,
  replayed: readonly Item[],
  traits: ModelTraits,
  context: PartContext,
): Conversation {
  const items = withComputerCalls(replayed);
  const begin = items.findIndex((item) => !isSystem(item));
  const leading = begin === -1 ? items : items.slice(0, begin);
  const system = [
    ...(instructions ? [{ text: instructions }] : []),
    ...leading.flatMap((item) => (isSystem(item) ? encodeParts(item.content, context) : [])),
  ];
  const builder = new TurnBuilder(items, traits, context);
  for (const item of items.slice(leading.length)) builder.add(item);
  const contents = settleTurns(builder.finish(), traits);
  if (system.length === 0 || (traits.system && contents.length > 0)) return { system, contents };
  const [first, ...others] = contents;
  if (first?.role === 'user') {
    return { system: [], contents: [{ role: 'user', parts: [...system, ...first.parts] }, ...others] };
  }
  return { system: [], contents: [{ role: 'user', parts: system }, ...contents] };
}

const userBegins: Content = { role: 'user', parts: [{ text: '(the model begins)' }] };
const modelSilent: Content = { role: 'model', parts: [{ text: '(no answer)' }] };
const userEnds: Content = { role: 'user', parts: [{ text: '(go on)' }] };

/**
 * Adapts turns to a model: some models refuse other parts beside responses, and conversations that end with the
 * model.
 */
function settleTurns(contents: readonly Content[], traits: ModelTraits): readonly Content[] {
  const turns = withUserFirst(traits.responsesAlone ? contents.flatMap(withResponsesAlone) : contents);
  return !traits.prefill && turns.at(-1)?.role === 'model' ? [...turns, userEnds] : turns;
}

/** The dialect refuses a call before the first user turn. */
function withUserFirst(contents: readonly Content[]): readonly Content[] {
  const [first] = contents;
  const begins = first?.role === 'model' && first.parts.some((part) => part.functionCall !== undefined);
  return begins ? [userBegins, ...contents] : contents;
}

/** User text directly after responses is read as one of them, or refused. */
function withResponsesAlone(content: Content): readonly Content[] {
  const { role, parts } = content;
  const end = parts.findLastIndex((part) => part.functionResponse !== undefined) + 1;
  if (end === 0 || end === parts.length) return [content];
  return [{ role, parts: parts.slice(0, end) }, modelSilent, { role, parts: parts.slice(end) }];
}

/**
 * Turns a client's computer actions into ordinary calls and outputs, because this dialect wants every call answered
 * and has no such tool. An output without a call becomes user text.
 */
function withComputerCalls(items: readonly Item[]): readonly Item[] {
  const called = new Set<string>();
  return items.map((item): Item => {
    if (item.kind !== 'hosted') return item;
    const callId = textOf(item.fields.call_id) ?? item.id ?? item.type;
    if (item.type === 'computer_call') {
      called.add(callId);
      const input = JSON.stringify({ action: item.fields.action });
      return { kind: 'call', form: 'function', callId, name: 'computer', input };
    }
    if (item.type !== 'computer_call_output') return item;
    const output = [screenshotOf(item)];
    if (called.has(callId)) return { kind: 'call_output', form: 'function', callId, output };
    const heading: ContentPart = { kind: 'text', text: `Output of tool call ${callId}:` };
    return { kind: 'message', role: 'user', content: [heading, ...output] };
  });
}

function screenshotOf({ fields: { output } }: HostedItem): ContentPart {
  const url = isObject(output) ? textOf(output.image_url) : undefined;
  if (url === undefined) return { kind: 'text', text: JSON.stringify(output) };
  return { kind: 'image', url, detail: 'auto' };
}

/** The tool members of a call. */
interface EncodedTools {
  readonly tools?: readonly Wire.Tool[];
  readonly toolConfig?: Wire.ToolConfig;
}

/**
 * Encodes tools and the tool choice. Quirk `urlContext` lets a model that may search also open pages.
 * @throws HeadgateError `upstream_invalid_request` for settings of hosted tools that the provider would silently
 * ignore: domains to search, files of a container.
 */
function encodeTools(call: UpstreamCall, host: GeminiHost): EncodedTools {
  const { tools, toolChoice } = call.request;
  const functions = tools.filter((tool) => tool.kind === 'function');
  const hosted = offeredHosted(tools, toolChoice);
  const opensPages = call.endpoint.provider.quirks.urlContext === true;
  const encoded: Wire.Tool[] = hosted.flatMap((tool) => encodeHosted(tool, host, opensPages));
  if (functions.length > 0) encoded.push({ functionDeclarations: functions.map(encodeFunction) });
  if (encoded.length === 0) return {};
  const mixed = functions.length > 0 && hosted.length > 0;
  const shown = mixed && host === 'ai-studio' && modelTraits(call).mixesTools;
  const functionCallingConfig = functions.length > 0 ? encodeChoice(toolChoice, functions) : undefined;
  return {
    tools: encoded,
    toolConfig:
      functionCallingConfig !== undefined || shown
        ? { functionCallingConfig, includeServerSideToolInvocations: shown ? true : undefined }
        : undefined,
  };
}

/** Hosted tools cannot be offered and forbidden at once, so forbidden ones are left out. */
function offeredHosted(tools: readonly Tool[], choice: ToolChoice): readonly HostedTool[] {
  const hosted = tools.filter((tool) => tool.kind === 'hosted');
  if (choice.kind === 'none') return [];
  return choice.kind === 'allowed' ? hosted.filter(({ tool }) => choice.hosted?.includes(tool)) : hosted;
}

function encodeFunction({
  name,
  description,
  parameters,
  outputSchema,
}: FunctionTool): Wire.FunctionDeclaration {
  return {
    name,
    description: description || undefined,
    parametersJsonSchema: parameters && !takesNothing(parameters) ? withoutDialect(parameters) : undefined,
    responseJsonSchema: outputSchema && withoutDialect(outputSchema),
  };
}

function takesNothing(parameters: JsonObject): boolean {
  const { properties, ...others } = parameters;
  const empty = isObject(properties) ? Object.keys(properties).length === 0 : properties === undefined;
  return empty && others.type === 'object' && !('$ref' in others) && others.additionalProperties !== true;
}

/** A schema without `$schema`, which the provider does not know, and with the references that it takes. */
function withoutDialect<T extends JsonObject>({ $schema: _, ...schema }: T): JsonObject {
  return plainReferences(schema);
}

function encodeHosted({ tool, settings }: HostedTool, host: GeminiHost, opensPages: boolean): Wire.Tool[] {
  if (tool === 'code_interpreter') {
    checkContainer(settings.container);
    return [{ codeExecution: {} }];
  }
  const search: Wire.Tool = { googleSearch: encodeFilters(settings.filters, host) };
  return opensPages ? [search, { urlContext: {} }] : [search];
}

function encodeFilters(filters: unknown, host: GeminiHost): NonNullable<Wire.Tool['googleSearch']> {
  if (!isObject(filters)) return {};
  const excluded = [...domainsOf(filters.blocked_domains), ...domainsOf(filters.excluded_domains)];
  if (domainsOf(filters.allowed_domains).length > 0) throw refusal('no list of domains to search');
  if (excluded.length === 0) return {};
  if (host !== 'vertex') throw refusal('no list of domains to leave out');
  return { excludeDomains: excluded };
}

function domainsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((domain) => typeof domain === 'string') : [];
}

function checkContainer(container: unknown): void {
  const files = isObject(container) ? container.file_ids : undefined;
  if (typeof container === 'string') throw refusal('no containers by id');
  if (Array.isArray(files) && files.length > 0) throw refusal('no files in its container');
}

function encodeChoice(
  choice: ToolChoice,
  functions: readonly FunctionTool[],
): Wire.ToolConfig['functionCallingConfig'] {
  switch (choice.kind) {
    case 'none':
      return { mode: 'NONE' };
    case 'required':
      return { mode: 'ANY' };
    case 'tool':
      return { mode: 'ANY', allowedFunctionNames: [choice.name] };
    case 'allowed': {
      if (choice.names.length === 0) return { mode: 'NONE' };
      const mode = choice.mode === 'required' && !choice.hosted?.length ? 'ANY' : 'VALIDATED';
      return { mode, allowedFunctionNames: [...choice.names] };
    }
    default:
      // By default the model writes arguments freely; this mode enforces their schemas.
      return functions.some(({ strict }) => strict === true) ? { mode: 'VALIDATED' } : undefined;
  }
}
