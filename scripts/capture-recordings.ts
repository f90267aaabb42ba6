/**
 * Records the answers of a real llama.cpp server, byte for byte, for the tests to replay.
 *
 * Usage: node scripts/capture-recordings.ts http://127.0.0.1:9180 [output folder]
 */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { homedir, hostname } from 'node:os';
import { join, resolve } from 'node:path';

type Dialect = 'openai-chat' | 'anthropic-messages' | 'openai-responses';
type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
type JsonObject = { [key: string]: JsonValue };
/** The expected response: an event stream, one JSON body, or an error. */
type Kind = 'stream' | 'body' | 'error';

interface NamedRequest {
  name: string;
  kind: Kind;
  /** A string is sent unchanged (for malformed bodies), an object as JSON. */
  body: JsonObject | string;
}

interface RawResponse {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

const model = 'gemma-3-270m';
const seed = 7;
const defaultMaxTokens = 80;
const pathOf: Record<Dialect, string> = {
  'openai-chat': '/v1/chat/completions',
  'anthropic-messages': '/v1/messages',
  'openai-responses': '/v1/responses',
};

const question = 'What is the capital of France?';
const weatherQuestion = 'Weather in Paris?';
const twoCityQuestion = 'Weather in Paris and in Oslo?';
const personQuestion = 'Give me a person as JSON.';
const thinkingQuestion = 'Which is faster, a car or a snail?';
const unicodeText = 'Ünïcödé 日本語 🚀 한국어 naïve 👩‍🚀 Ελλάδα';
/** Forces the text token by token, so that characters of several bytes are split between chunks. */
const unicodeGrammar = `root ::= ${JSON.stringify(unicodeText)}`;
const toolName = 'get_weather';
const toolDescription = 'Get the weather for a city';
const toolArguments = '{"city":"Paris","unit":"celsius"}';
const toolOutput = '{"temperature": 12, "sky": "rain"}';
const callIdentifier = 'call_paris';
const thinking: JsonObject = { chat_template_kwargs: { enable_thinking: true } };

const toolSchema: JsonObject = {
  type: 'object',
  properties: { city: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
  required: ['city', 'unit'],
  additionalProperties: false,
};
const unicodeToolSchema: JsonObject = {
  type: 'object',
  properties: { city: { type: 'string', enum: ['Zürich 🏔 東京'] } },
  required: ['city'],
  additionalProperties: false,
};
const personSchema: JsonObject = {
  type: 'object',
  properties: { name: { type: 'string', maxLength: 20 }, age: { type: 'integer', minimum: 0, maximum: 120 } },
  required: ['name', 'age'],
  additionalProperties: false,
};

const user = (content: string): JsonObject => ({ role: 'user', content });
const assistant = (content: string): JsonObject => ({ role: 'assistant', content });
const multiTurn: JsonObject[] = [
  user(question),
  assistant('The capital of France is Paris.'),
  user('And the capital of Italy?'),
];
/** Longer than the context of 4096 tokens. */
const tooLongText = ' a'.repeat(4200);

const chatTool = (parameters: JsonObject): JsonObject => ({
  type: 'function',
  function: { name: toolName, description: toolDescription, parameters },
});
const chatBody = (messages: JsonObject[], more: JsonObject = {}): JsonObject => ({
  model,
  messages,
  max_tokens: defaultMaxTokens,
  temperature: 0,
  seed,
  ...more,
});
const chatStream = (name: string, messages: JsonObject[], more: JsonObject = {}): NamedRequest => ({
  name,
  kind: 'stream',
  body: chatBody(messages, { stream: true, stream_options: { include_usage: true }, ...more }),
});

function chatRequests(): NamedRequest[] {
  const tools: JsonValue = [chatTool(toolSchema)];
  const personFormat: JsonObject = {
    type: 'json_schema',
    json_schema: { name: 'person', strict: true, schema: personSchema },
  };
  const toolResult: JsonObject[] = [
    user(weatherQuestion),
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: callIdentifier, type: 'function', function: { name: toolName, arguments: toolArguments } },
      ],
    },
    { role: 'tool', tool_call_id: callIdentifier, content: toolOutput },
  ];
  return [
    chatStream('text', [user(question)]),
    { name: 'text-unstreamed', kind: 'body', body: chatBody([user(question)]) },
    chatStream('text-without-usage', [user(question)], { stream_options: { include_usage: false } }),
    chatStream('multi-turn', multiTurn),
    chatStream('system', [{ role: 'system', content: 'Answer in one word.' }, user(question)]),
    chatStream('unicode', [user('Write it.')], { grammar: unicodeGrammar }),
    chatStream('length', [user('Tell me about cats.')], { max_tokens: 4 }),
    chatStream('stop-sequence', [user(question)], { stop: [' is'] }),
    chatStream('cached', [user(question)], { cache_prompt: true }),
    chatStream('reasoning', [user(thinkingQuestion)], thinking),
    { name: 'reasoning-unstreamed', kind: 'body', body: chatBody([user(thinkingQuestion)], thinking) },
    chatStream('tool-call', [user(weatherQuestion)], { tools, tool_choice: 'required' }),
    chatStream('tool-call-automatic', [user(weatherQuestion)], { tools, tool_choice: 'auto' }),
    chatStream('tool-call-length', [user(weatherQuestion)], {
      tools,
      tool_choice: 'required',
      max_tokens: 26,
    }),
    chatStream('tool-call-unicode', [user('Weather?')], {
      tools: [chatTool(unicodeToolSchema)],
      tool_choice: 'required',
    }),
    chatStream('tool-call-parallel', [user(twoCityQuestion)], {
      tools,
      tool_choice: 'required',
      parallel_tool_calls: true,
    }),
    {
      name: 'tool-call-unstreamed',
      kind: 'body',
      body: chatBody([user(weatherQuestion)], { tools, tool_choice: 'required' }),
    },
    chatStream('tool-result', toolResult, { tools }),
    chatStream('json-schema', [user(personQuestion)], { response_format: personFormat }),
    chatStream('json-object', [user(personQuestion)], { response_format: { type: 'json_object' } }),
    chatStream('json-object-with-schema', [user(personQuestion)], {
      response_format: { type: 'json_object', schema: personSchema },
    }),
    chatStream('logprobs', [user(question)], { logprobs: true, top_logprobs: 2 }),
    {
      name: 'logprobs-unstreamed',
      kind: 'body',
      body: chatBody([user(question)], { logprobs: true, top_logprobs: 2, max_tokens: 4 }),
    },
    { name: 'two-choices', kind: 'error', body: chatBody([user(question)], { n: 2, stream: true }) },
    { name: 'malformed-body', kind: 'error', body: '{"model": ' },
    { name: 'missing-messages', kind: 'error', body: { model, stream: true } },
    {
      name: 'bad-type',
      kind: 'error',
      body: chatBody([user(question)], { max_tokens: 'many', stream: true }),
    },
    {
      name: 'bad-schema',
      kind: 'error',
      body: chatBody([user(question)], {
        stream: true,
        response_format: { type: 'json_schema', json_schema: { name: 'bad', schema: { type: 'banana' } } },
      }),
    },
    { name: 'context-too-long', kind: 'error', body: chatBody([user(tooLongText)], { stream: true }) },
  ];
}

const messagesTool = (schema: JsonObject): JsonObject => ({
  name: toolName,
  description: toolDescription,
  input_schema: schema,
});
const messagesStream = (name: string, messages: JsonObject[], more: JsonObject = {}): NamedRequest => ({
  name,
  kind: 'stream',
  body: chatBody(messages, { stream: true, ...more }),
});

function messagesRequests(): NamedRequest[] {
  const tools: JsonValue = [messagesTool(toolSchema)];
  const anyTool: JsonObject = { type: 'any' };
  const toolResult: JsonObject[] = [
    user(weatherQuestion),
    {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: callIdentifier, name: toolName, input: { city: 'Paris', unit: 'celsius' } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: callIdentifier, content: toolOutput }] },
  ];
  const repeated: JsonObject[] = [
    user('Write it.'),
    assistant(unicodeText),
    user('Write it.'),
    assistant(unicodeText),
    user('Write it.'),
  ];
  return [
    messagesStream('text', [user(question)]),
    { name: 'text-unstreamed', kind: 'body', body: chatBody([user(question)]) },
    messagesStream('multi-turn', multiTurn),
    messagesStream('system', [user(question)], { system: 'Answer in one word.' }),
    messagesStream('unicode', repeated),
    messagesStream('length', [user('Tell me about cats.')], { max_tokens: 4 }),
    messagesStream('stop-sequence', [user(question)], { stop_sequences: [' is'] }),
    messagesStream('reasoning', [user(thinkingQuestion)], thinking),
    { name: 'reasoning-unstreamed', kind: 'body', body: chatBody([user(thinkingQuestion)], thinking) },
    messagesStream('tool-call', [user(weatherQuestion)], { tools, tool_choice: anyTool }),
    messagesStream('tool-call-automatic', [user(weatherQuestion)], { tools, tool_choice: { type: 'auto' } }),
    messagesStream('tool-call-length', [user(weatherQuestion)], {
      tools,
      tool_choice: anyTool,
      max_tokens: 26,
    }),
    messagesStream('tool-call-unicode', [user('Weather?')], {
      tools: [messagesTool(unicodeToolSchema)],
      tool_choice: anyTool,
    }),
    {
      name: 'tool-call-unstreamed',
      kind: 'body',
      body: chatBody([user(weatherQuestion)], { tools, tool_choice: anyTool }),
    },
    messagesStream('tool-result', toolResult, { tools }),
    messagesStream('json-schema-ignored', [user(personQuestion)], {
      output_config: { format: { type: 'json_schema', schema: personSchema } },
    }),
    { name: 'malformed-body', kind: 'error', body: '{"model": ' },
    { name: 'missing-messages', kind: 'error', body: { model, max_tokens: 8, stream: true } },
    {
      name: 'bad-type',
      kind: 'error',
      body: chatBody([user(question)], { max_tokens: 'many', stream: true }),
    },
    { name: 'context-too-long', kind: 'error', body: chatBody([user(tooLongText)], { stream: true }) },
  ];
}

const responsesTool = (parameters: JsonObject): JsonObject => ({
  type: 'function',
  name: toolName,
  description: toolDescription,
  parameters,
  strict: true,
});
const responsesBody = (input: JsonValue, more: JsonObject = {}): JsonObject => ({
  model,
  input,
  max_output_tokens: defaultMaxTokens,
  temperature: 0,
  seed,
  ...more,
});
const responsesStream = (name: string, input: JsonValue, more: JsonObject = {}): NamedRequest => ({
  name,
  kind: 'stream',
  body: responsesBody(input, { stream: true, ...more }),
});

function responsesRequests(): NamedRequest[] {
  const tools: JsonValue = [responsesTool(toolSchema)];
  const required: JsonObject = { tools, tool_choice: 'required' };
  const toolResult: JsonObject[] = [
    user(weatherQuestion),
    { type: 'function_call', call_id: callIdentifier, name: toolName, arguments: toolArguments },
    { type: 'function_call_output', call_id: callIdentifier, output: toolOutput },
  ];
  const multiTurnItems: JsonObject[] = [
    user(question),
    {
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'The capital of France is Paris.', annotations: [] }],
    },
    user('And the capital of Italy?'),
  ];
  return [
    responsesStream('text', question),
    { name: 'text-unstreamed', kind: 'body', body: responsesBody(question) },
    responsesStream('multi-turn', multiTurnItems),
    responsesStream('instructions', question, { instructions: 'Answer in one word.' }),
    responsesStream('unicode', 'Write it.', { grammar: unicodeGrammar }),
    responsesStream('length', 'Tell me about cats.', { max_output_tokens: 4 }),
    responsesStream('reasoning', thinkingQuestion, thinking),
    { name: 'reasoning-unstreamed', kind: 'body', body: responsesBody(thinkingQuestion, thinking) },
    responsesStream('tool-call', weatherQuestion, required),
    responsesStream('tool-call-automatic', weatherQuestion, { tools, tool_choice: 'auto' }),
    responsesStream('tool-call-length', weatherQuestion, { ...required, max_output_tokens: 26 }),
    responsesStream('tool-call-unicode', 'Weather?', {
      tools: [responsesTool(unicodeToolSchema)],
      tool_choice: 'required',
    }),
    responsesStream('tool-call-parallel', twoCityQuestion, { ...required, parallel_tool_calls: true }),
    { name: 'tool-call-unstreamed', kind: 'body', body: responsesBody(weatherQuestion, required) },
    responsesStream('tool-result', toolResult, { tools }),
    responsesStream('json-schema-ignored', personQuestion, {
      text: { format: { type: 'json_schema', name: 'person', strict: true, schema: personSchema } },
    }),
    responsesStream('logprobs', question, { logprobs: true, top_logprobs: 2 }),
    { name: 'malformed-body', kind: 'error', body: '{"model": ' },
    {
      name: 'assistant-text-as-string',
      kind: 'error',
      body: responsesBody(multiTurn, { stream: true }),
    },
    { name: 'missing-input', kind: 'error', body: { model, stream: true } },
    {
      name: 'previous-response',
      kind: 'error',
      body: responsesBody(question, { previous_response_id: 'resp_1', stream: true }),
    },
    { name: 'context-too-long', kind: 'error', body: responsesBody(tooLongText, { stream: true }) },
  ];
}

/** The table of named requests of one dialect, in the order of sending. */
function requestsOf(dialect: Dialect): NamedRequest[] {
  switch (dialect) {
    case 'openai-chat':
      return chatRequests();
    case 'anthropic-messages':
      return messagesRequests();
    case 'openai-responses':
      return responsesRequests();
  }
}

/**
 * Sends one request and collects the answer unchanged. Requests no compression, so the bytes are those of the server.
 * Each request uses a new connection, because the server closes the connection after a stream although it announces
 * keep-alive, so an immediate reuse sometimes fails.
 * @param url the complete address
 * @param body the body to send, if any
 * @returns status, headers and bytes
 */
function send(url: URL, method: 'GET' | 'POST', body?: string): Promise<RawResponse> {
  return new Promise((accept, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const outgoing = httpRequest(url, { method, headers, agent: false, timeout: 120_000 }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () =>
        accept({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(parts) }),
      );
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer in time from ${url.pathname}`)));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function serverName(base: URL): Promise<string> {
  const { status, bytes } = await send(new URL('/props', base), 'GET');
  const properties: unknown = status === 200 ? JSON.parse(bytes.toString('utf8')) : undefined;
  const build =
    typeof properties === 'object' && properties !== null && 'build_info' in properties
      ? String(properties.build_info)
      : 'of unknown build';
  return `llama.cpp ${build}`;
}

/** Throws for a recording that contains a folder or host name of this machine. */
function assertNeutral(name: string, text: string): void {
  const forbidden = [process.cwd(), homedir(), hostname()].filter((part) => part.length > 4);
  const found = forbidden.find((part) => part !== 'localhost' && text.includes(part));
  if (found !== undefined) {
    throw new Error(`the recording ${name} holds the machine's own name or path ${found}`);
  }
}

function assertKind(label: string, kind: Kind, response: RawResponse): void {
  const type = response.headers['content-type'] ?? '';
  const matches =
    kind === 'error'
      ? response.status >= 400
      : response.status === 200 && type.startsWith('text/event-stream') === (kind === 'stream');
  if (!matches) {
    const text = response.bytes.toString('utf8').slice(0, 300);
    throw new Error(`${label}: expected ${kind}, got ${response.status} ${type}: ${text}`);
  }
}

async function capture(folder: string, dialect: Dialect, entry: NamedRequest, base: URL, server: string) {
  const label = `${dialect}/${entry.name}`;
  const path = pathOf[dialect];
  const sent = typeof entry.body === 'string' ? entry.body : JSON.stringify(entry.body);
  const response = await send(new URL(path, base), 'POST', sent);
  assertKind(label, entry.kind, response);
  const text = response.bytes.toString('utf8');
  const details = {
    request: entry.body,
    path,
    status: response.status,
    headers: { 'content-type': response.headers['content-type'] ?? '' },
    server,
  };
  const write = (ending: string, content: string | Buffer) =>
    writeFile(join(folder, `${entry.name}${ending}`), content);
  const asJson = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  assertNeutral(label, text + asJson(details));
  if (entry.kind === 'error') {
    await write('.error.json', asJson({ ...details, body: text }));
  } else {
    await write(entry.kind === 'stream' ? '.sse' : '.body.json', response.bytes);
    await write('.json', asJson(details));
  }
  console.log(`${label}: ${response.status}, ${response.bytes.length} bytes`);
}

/**
 * Captures every recording of every dialect, replacing the existing ones.
 * @param base the address of the server
 * @param root the folder that gets one folder per dialect
 */
async function captureAll(base: URL, root: string): Promise<void> {
  const server = await serverName(base);
  const dialects: Dialect[] = ['openai-chat', 'anthropic-messages', 'openai-responses'];
  for (const dialect of dialects) {
    const folder = join(root, dialect);
    await mkdir(folder, { recursive: true });
    const former = (await readdir(folder)).filter((file) => /\.(sse|json)$/.test(file));
    for (const file of former) {
      await rm(join(folder, file));
    }
    for (const entry of requestsOf(dialect)) {
      await capture(folder, dialect, entry, base, server);
    }
  }
}

if (import.meta.main) {
  const [address, output] = process.argv.slice(2);
  if (address === undefined) {
    console.error('usage: node scripts/capture-recordings.ts http://127.0.0.1:9180 [output folder]');
    process.exit(2);
  }
  const standardFolder = resolve(import.meta.dirname, '../test/recordings/llamacpp');
  await captureAll(new URL(address), output === undefined ? standardFolder : resolve(output));
}
