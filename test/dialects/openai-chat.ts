import type { FinishReason } from '../../src/core/delta.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { testApiKey } from '../fake-upstream/upstream-call.ts';
import type {
  DialectScript,
  ScriptedAnswer,
  ScriptedFailure,
  ScriptedToolCall,
  ScriptedUsage,
  SeenRequest,
  SeenTurn,
  Utterance,
  WireAnswer,
} from './dialect-script.ts';

const finishReasons: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  tool_calls: 'tool_calls',
  length: 'length',
  content_filter: 'content_filter',
};

/** Status, type and code of failures, as the dialect's first speaker reports them. */
const failures: Readonly<Record<ScriptedFailure, readonly [number, string, string | null]>> = {
  rate_limit: [429, 'rate_limit_error', 'rate_limit_exceeded'],
  overloaded: [503, 'server_error', null],
  server: [500, 'server_error', null],
  authentication: [401, 'invalid_request_error', 'invalid_api_key'],
  context_length: [400, 'invalid_request_error', 'context_length_exceeded'],
  invalid_request: [400, 'invalid_request_error', null],
};

/** How chat completions say things: a message built up by chunks, or told in one body. */
export const openaiChat: DialectScript = {
  adapter: 'openai-chat',
  provider: { reasoningReplay: 'reasoning_details', sealedFormats: ['unknown'], imageOutput: true },
  credential: testApiKey,
  cannot: new Set(),
  answer: (script, streamed) => (streamed ? streamAnswer(script) : wholeAnswer(script)),
  failure(kind, message, retryAfter) {
    const [status] = failures[kind];
    const wait: Record<string, string> =
      retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
    return {
      status,
      headers: { 'content-type': 'application/json', ...wait },
      body: [Buffer.from(JSON.stringify({ error: errorOf(kind, message) }))],
    };
  },
  failureEvent(kind, message) {
    const [status] = failures[kind];
    const error = errorOf(kind, message);
    return chunkBytes({ error: { ...error, code: error.code ?? status } });
  },
  malformedEvent: () => Buffer.from('data: {"id":"chatcmpl-1","choices":[{"index":0,"del\n\n'),
  readRequest,
};

function errorOf(kind: ScriptedFailure, message: string) {
  const [, type, code] = failures[kind];
  return { message, type, param: null, code };
}

function streamAnswer(script: ScriptedAnswer): WireAnswer {
  const deltas = [{ role: 'assistant', content: '' }, ...callsNumbered(script.utterances).flatMap(deltasOf)];
  const finish = { index: 0, delta: {}, finish_reason: finishReasons[script.finish] };
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: [
      ...deltas.map((delta) => chunkBytes({ choices: [{ index: 0, delta, finish_reason: null }] })),
      chunkBytes({ choices: [finish] }),
      ...(script.usage ? [chunkBytes({ choices: [], usage: usageOf(script.usage) })] : []),
      Buffer.from('data: [DONE]\n\n'),
    ],
  };
}

function wholeAnswer(script: ScriptedAnswer): WireAnswer {
  const message: Record<string, unknown> = { role: 'assistant', content: null, refusal: null };
  for (const utterance of callsNumbered(script.utterances)) {
    for (const delta of deltasOf(utterance)) addTo(message, delta);
  }
  const choice = { index: 0, message, finish_reason: finishReasons[script.finish] };
  const answer = {
    ...envelope('chat.completion'),
    choices: [choice],
    usage: script.usage && usageOf(script.usage),
  };
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: [Buffer.from(JSON.stringify(answer))],
  };
}

/** What a stream tells in a chunk, laid into the one message of a whole answer. */
function addTo(message: Record<string, unknown>, delta: JsonObject): void {
  for (const [name, value] of Object.entries(delta)) {
    const known = message[name];
    if (name === 'tool_calls') message.tool_calls = joinCalls(known, value);
    else if (Array.isArray(value)) message[name] = [...(Array.isArray(known) ? known : []), ...value];
    else message[name] = `${known ?? ''}${value}`;
  }
}

interface WireFragment {
  readonly index: number;
  readonly function: { readonly name?: string; readonly arguments: string };
}

function joinCalls(known: unknown, fragments: unknown): WireFragment[] {
  const calls = [...((known as WireFragment[] | undefined) ?? [])];
  for (const fragment of fragments as WireFragment[]) {
    const at = calls.findIndex((call) => call.index === fragment.index);
    const call = calls[at];
    if (call === undefined) calls.push(fragment);
    else {
      const joined = call.function.arguments + fragment.function.arguments;
      calls[at] = { ...call, function: { ...call.function, arguments: joined } };
    }
  }
  return calls;
}

type Numbered =
  | Exclude<Utterance, { call: unknown }>
  | { readonly call: readonly ScriptedToolCall[]; readonly first: number };

/** Calls are numbered through the whole answer. */
function callsNumbered(utterances: readonly Utterance[]): Numbered[] {
  let next = 0;
  return utterances.map((utterance) => {
    if (!('call' in utterance)) return utterance;
    const first = next;
    next += utterance.call.length;
    return { ...utterance, first };
  });
}

function deltasOf(utterance: Numbered): JsonObject[] {
  if ('say' in utterance)
    return [...utterance.say.map((content) => ({ content })), ...citationsOf(utterance)];
  if ('think' in utterance) return thoughtsOf(utterance);
  if ('summarize' in utterance) {
    return utterance.summarize.map((summary) => detail({ type: 'reasoning.summary', summary }));
  }
  if ('refuse' in utterance) return utterance.refuse.map((refusal) => ({ refusal }));
  if ('picture' in utterance) {
    const url = `data:image/png;base64,${utterance.picture}`;
    return [{ images: [{ type: 'image_url', image_url: { url } }] }];
  }
  return callDeltas(utterance.call, utterance.first);
}

function citationsOf({ citations = [] }: Extract<Utterance, { say: unknown }>): JsonObject[] {
  if (citations.length === 0) return [];
  const annotations = citations.flatMap((citation) => {
    if (citation.type !== 'url_citation') return [];
    const { type, ...url_citation } = citation;
    return [{ type, url_citation }];
  });
  return [{ annotations }];
}

function thoughtsOf({ think, signature, encrypted }: Extract<Utterance, { think: unknown }>): JsonObject[] {
  return [
    ...think.map((text) => detail({ type: 'reasoning.text', text })),
    ...(signature === undefined ? [] : [detail({ type: 'reasoning.text', signature })]),
    ...(encrypted === undefined ? [] : [detail({ type: 'reasoning.encrypted', data: encrypted })]),
  ];
}

function detail(entry: JsonObject): JsonObject {
  return { reasoning_details: [{ ...entry, format: 'unknown' }] };
}

/** The opening of every call, then their fragments in turn. */
function callDeltas(calls: readonly ScriptedToolCall[], first: number): JsonObject[] {
  const openings = calls.map(({ id, name }, place) => ({
    tool_calls: [{ index: first + place, id, type: 'function', function: { name, arguments: '' } }],
  }));
  const rounds = Math.max(0, ...calls.map((call) => call.arguments.length));
  const fragments = Array.from({ length: rounds }, (_, round) =>
    calls.flatMap((call, place) => {
      const piece = call.arguments[round];
      return piece === undefined
        ? []
        : [{ tool_calls: [{ index: first + place, function: { arguments: piece } }] }];
    }),
  );
  return [...openings, ...fragments.flat()];
}

function usageOf({ input, output, cacheRead, cacheWrite, reasoning }: ScriptedUsage): JsonObject {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input === undefined || output === undefined ? undefined : input + output,
    prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

function envelope(object: string): JsonObject {
  return { id: 'chatcmpl-1', object, created: 1_767_225_600, model: 'atlas-4' };
}

function chunkBytes(chunk: JsonObject): Buffer {
  return Buffer.from(`data: ${JSON.stringify({ ...envelope('chat.completion.chunk'), ...chunk })}\n\n`);
}

interface WireMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id?: string;
    readonly function?: { readonly name: string; readonly arguments: string };
  }[];
  readonly reasoning_details?: readonly {
    readonly text?: string;
    readonly summary?: string;
    readonly signature?: string;
    readonly data?: string;
  }[];
}

interface WireTool {
  readonly function?: { readonly name: string; readonly parameters?: unknown };
}

function readRequest(body: JsonObject): SeenRequest {
  const messages = (body.messages ?? []) as readonly WireMessage[];
  const tools = (body.tools ?? []) as readonly WireTool[];
  const instructing = messages.filter(({ role }) => role === 'system' || role === 'developer');
  return {
    streamed: body.stream === true,
    system: instructing.map(({ content }) => textOf(content)).join('\n'),
    turns: messages.flatMap(readMessage),
    tools: tools.flatMap(({ function: tool }) =>
      tool ? [{ name: tool.name, parameters: tool.parameters }] : [],
    ),
    maxOutputTokens: numberOf(body.max_tokens ?? body.max_completion_tokens),
  };
}

function readMessage(message: WireMessage): SeenTurn[] {
  const text = textOf(message.content);
  switch (message.role) {
    case 'user': {
      const media = mediaOf(message.content);
      return [{ role: 'user', text, ...(media.length > 0 ? { media } : {}) }];
    }
    case 'tool':
      return [{ output: { id: message.tool_call_id, text } }];
    case 'assistant': {
      const said: SeenTurn[] = text === '' ? [] : [{ role: 'assistant', text }];
      return [...readThoughts(message), ...said, ...readCalls(message)];
    }
    default:
      return [];
  }
}

function readThoughts({ reasoning_details: details = [] }: WireMessage): SeenTurn[] {
  if (details.length === 0) return [];
  const signature = details.find((entry) => entry.signature !== undefined)?.signature;
  const encrypted = details.find((entry) => entry.data !== undefined)?.data;
  const text = details.map((entry) => entry.text ?? entry.summary ?? '').join('');
  return [
    {
      thinking: {
        text,
        ...(signature === undefined ? {} : { signature }),
        ...(encrypted === undefined ? {} : { encrypted }),
      },
    },
  ];
}

function readCalls({ tool_calls: calls = [] }: WireMessage): SeenTurn[] {
  return calls.flatMap(({ id, function: called }) =>
    called ? [{ call: { id, name: called.name, arguments: JSON.parse(called.arguments) } }] : [],
  );
}

interface WirePart {
  readonly type: string;
  readonly text?: string;
  readonly image_url?: { readonly url: string };
  readonly video_url?: { readonly url: string };
  readonly file?: { readonly file_data?: string; readonly file_id?: string };
  readonly input_audio?: { readonly data: string };
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : '';
  return (content as readonly WirePart[])
    .filter(({ type }) => type === 'text')
    .map(({ text }) => text ?? '')
    .join('\n');
}

function mediaOf(content: unknown): string[] {
  if (!Array.isArray(content)) return [];
  return (content as readonly WirePart[]).flatMap((part) => {
    const source =
      part.image_url?.url ??
      part.video_url?.url ??
      part.file?.file_data ??
      part.file?.file_id ??
      part.input_audio?.data;
    return source === undefined ? [] : [source];
  });
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
