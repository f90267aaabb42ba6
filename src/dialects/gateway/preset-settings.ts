import { isObject, type JsonObject } from '../../util/json.ts';

/** The public dialects that know presets. */
export type PresetDialect = 'responses' | 'chat' | 'messages';

/** What a preset holds: members of a body by the names of `POST /responses`, and the system prompt. */
export interface PresetSettings {
  readonly config: JsonObject;
  readonly systemPrompt: string | null;
}

/** What a preset says of cached answers. */
export interface PresetCaching {
  readonly cacheEnabled?: boolean;
  readonly cacheTtlSeconds?: number;
}

/** Members that belong to one request and never to a preset. */
const dropped = new Set([
  'input',
  'messages',
  'prompt',
  'stream',
  'stream_options',
  'preset',
  'instructions',
  'system',
  'background',
  'previous_response_id',
]);
/** Members for the gateway alone. */
const ofGateway = new Set(['cache_enabled', 'cache_ttl_seconds']);

/** Members that have another name in another dialect. */
const otherNames: Readonly<Record<PresetDialect, Readonly<Record<string, string>>>> = {
  responses: {},
  chat: { max_tokens: 'max_output_tokens', max_completion_tokens: 'max_output_tokens' },
  messages: { max_tokens: 'max_output_tokens', stop_sequences: 'stop' },
};

/**
 * The preset that a body of a dialect describes (docs/spec/presets.md#what-is-kept): its settings without the conversation, and
 * its system prompt.
 */
export function readPresetSettings(body: JsonObject, dialect: PresetDialect): PresetSettings {
  const config: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    if (dropped.has(name) || value === null || value === undefined) continue;
    config[otherNames[dialect][name] ?? name] = value;
  }
  if (dialect !== 'responses') toResponses(config);
  return { config, systemPrompt: systemPromptOf(body) };
}

/**
 * A body of a dialect with the settings of a preset in place of what it leaves out (docs/spec/presets.md#merging). A member of
 * the body replaces the preset's as a whole; null counts as left out. Tools unite.
 */
export function mergePreset(
  body: JsonObject,
  { config, systemPrompt }: PresetSettings,
  dialect: PresetDialect,
): JsonObject {
  const { preset: _preset, ...asked } = body;
  const merged: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(inDialect(config, dialect))) {
    if (!ofGateway.has(name)) merged[name] = value;
  }
  const preset = { ...merged };
  for (const [name, value] of Object.entries(asked)) {
    if (value !== null && value !== undefined) merged[name] = value;
    else if (!(name in merged)) merged[name] = value;
  }
  const tools = uniteTools(preset.tools, asked.tools);
  if (tools !== undefined) merged.tools = tools;
  return systemPrompt === null ? merged : withSystemPrompt(merged, systemPrompt, dialect);
}

/** What the settings say of cached answers. */
export function presetCaching({ config }: PresetSettings): PresetCaching {
  const { cache_enabled: cacheEnabled, cache_ttl_seconds: cacheTtlSeconds } = config;
  return {
    ...(typeof cacheEnabled === 'boolean' && { cacheEnabled }),
    ...(typeof cacheTtlSeconds === 'number' && { cacheTtlSeconds }),
  };
}

function withSystemPrompt(body: Record<string, unknown>, text: string, dialect: PresetDialect): JsonObject {
  if (dialect === 'responses') {
    return body.instructions === undefined || body.instructions === null
      ? { ...body, instructions: text }
      : body;
  }
  if (dialect === 'messages') {
    return body.system === undefined || body.system === null ? { ...body, system: text } : body;
  }
  const { messages } = body;
  if (!Array.isArray(messages) || messages.some(isSystemMessage)) return body;
  return { ...body, messages: [{ role: 'system', content: text }, ...messages] };
}

function systemPromptOf({ instructions, system, messages }: JsonObject): string | null {
  const named = instructions ?? system;
  if (typeof named === 'string') return named;
  if (Array.isArray(named)) return textOf(named);
  const first: unknown = Array.isArray(messages) ? messages.find(isSystemMessage) : undefined;
  return isObject(first) ? textOf(first.content) : null;
}

function isSystemMessage(message: unknown): boolean {
  return isObject(message) && (message.role === 'system' || message.role === 'developer');
}

function textOf(content: unknown): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  return content.map((part: unknown) => (isObject(part) ? String(part.text ?? '') : '')).join('\n');
}

/** Preset tools first, then the request's; of two with one identity the request's stays, in the preset's place. */
function uniteTools(preset: unknown, asked: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(preset)) return undefined;
  if (!Array.isArray(asked)) return preset;
  const wanted = new Map<string, unknown>(asked.map((tool: unknown) => [identityOf(tool), tool]));
  const kept = preset.map((tool: unknown) => wanted.get(identityOf(tool)) ?? tool);
  const known = new Set(preset.map(identityOf));
  return [...kept, ...asked.filter((tool: unknown) => !known.has(identityOf(tool)))];
}

/** Functions are distinguished by name, advisors and subagents by type and name, other tools by type. */
function identityOf(tool: unknown): string {
  if (!isObject(tool)) return JSON.stringify(tool);
  const { type = 'function', name, parameters } = tool;
  const nested = isObject(tool.function) ? tool.function.name : undefined;
  if (type === 'function' || type === 'custom') return `${String(type)} ${String(name ?? nested)}`;
  const isNamed = type === 'service:advisor' || type === 'service:subagent';
  return isNamed && isObject(parameters) ? `${String(type)} ${String(parameters.name)}` : String(type);
}

/** Members of chat completions and Messages in the words of `POST /responses`, in place. */
function toResponses(config: Record<string, unknown>): void {
  const { response_format: format, reasoning_effort: effort, verbosity, tools } = config;
  const text = { ...(isObject(config.text) ? config.text : {}) };
  if (isObject(format)) config.text = { ...text, format: flatFormat(format) };
  if (typeof verbosity === 'string') {
    config.text = { ...(isObject(config.text) ? config.text : {}), verbosity };
  }
  if (typeof effort === 'string') {
    config.reasoning = { ...(isObject(config.reasoning) ? config.reasoning : {}), effort };
  }
  for (const name of ['response_format', 'reasoning_effort', 'verbosity']) delete config[name];
  if (Array.isArray(tools)) config.tools = tools.map(flatTool);
  const choice = config.tool_choice;
  if (isObject(choice) && isObject(choice.function)) {
    config.tool_choice = { type: 'function', name: choice.function.name };
  }
}

function flatFormat(format: JsonObject): JsonObject {
  const { json_schema: schema, ...rest } = format;
  return isObject(schema) ? { ...rest, ...schema } : rest;
}

function flatTool(tool: unknown): unknown {
  if (!isObject(tool)) return tool;
  if (isObject(tool.function)) return { type: 'function', ...tool.function };
  const { input_schema: parameters, ...rest } = tool;
  return isObject(parameters) && (rest.type === undefined || rest.type === 'custom')
    ? { ...rest, type: 'function', parameters }
    : tool;
}

/** The settings in the words of a dialect. */
function inDialect(config: JsonObject, dialect: PresetDialect): JsonObject {
  if (dialect === 'responses') return config;
  const { max_output_tokens: limit, text, stop, tools, tool_choice: choice, ...rest } = config;
  const { format, verbosity } = isObject(text) ? text : {};
  const list = Array.isArray(tools) ? tools : undefined;
  if (dialect === 'messages') {
    return {
      ...rest,
      ...(limit !== undefined && { max_tokens: limit }),
      ...(stop !== undefined && { stop_sequences: [stop].flat() }),
      ...(isObject(format) && format.type === 'json_schema' && { output_format: format }),
      ...(list && { tools: list.map(messagesTool) }),
      ...(choice !== undefined && { tool_choice: messagesChoice(choice) }),
    };
  }
  return {
    ...rest,
    ...(limit !== undefined && { max_completion_tokens: limit }),
    ...(stop !== undefined && { stop }),
    ...(isObject(format) && { response_format: nestedFormat(format) }),
    ...(verbosity !== undefined && { verbosity }),
    ...(list && { tools: list.map(chatTool) }),
    ...(choice !== undefined && { tool_choice: chatChoice(choice) }),
  };
}

function nestedFormat({ type, ...schema }: JsonObject): JsonObject {
  return type === 'json_schema' ? { type, json_schema: schema } : { type };
}

function chatTool(tool: unknown): unknown {
  if (!isObject(tool) || tool.type !== 'function' || isObject(tool.function)) return tool;
  const { type, ...definition } = tool;
  return { type, function: definition };
}

function messagesTool(tool: unknown): unknown {
  if (!isObject(tool) || tool.type !== 'function') return tool;
  const { type: _type, parameters, strict: _strict, ...rest } = tool;
  return { ...rest, input_schema: parameters ?? { type: 'object' } };
}

function chatChoice(choice: unknown): unknown {
  return isObject(choice) && choice.type === 'function' && choice.name !== undefined
    ? { type: 'function', function: { name: choice.name } }
    : choice;
}

function messagesChoice(choice: unknown): unknown {
  if (choice === 'required') return { type: 'any' };
  if (typeof choice === 'string') return { type: choice };
  return isObject(choice) && choice.type === 'function' ? { type: 'tool', name: choice.name } : choice;
}
