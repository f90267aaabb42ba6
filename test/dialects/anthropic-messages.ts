import type { JsonObject } from '../../src/util/json.ts';
import { cutByCitations } from './cited-segments.ts';
import type {
  DialectScript,
  ScriptedAnswer,
  ScriptedFailure,
  ScriptedUsage,
  SeenTurn,
  Utterance,
  WireAnswer,
} from './dialect-script.ts';

/** A block with the pieces it streams in. */
interface Block {
  /** As it stands in a whole message. */
  readonly whole: JsonObject & { readonly type: string };
  /** As it begins in a stream. */
  readonly start: JsonObject;
  readonly deltas: readonly JsonObject[];
}

const stopReasons = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
} as const;

const failures: Readonly<Record<ScriptedFailure, readonly [status: number, type: string]>> = {
  rate_limit: [429, 'rate_limit_error'],
  overloaded: [529, 'overloaded_error'],
  server: [500, 'api_error'],
  authentication: [401, 'authentication_error'],
  context_length: [400, 'invalid_request_error'],
  invalid_request: [400, 'invalid_request_error'],
};

/** The Messages dialect. */
export const anthropicMessages: DialectScript = {
  adapter: 'anthropic-messages',
  credential: 'ak-test-0123456789abcdef',
  cannot: new Set(['summarize', 'refuse', 'picture']),
  answer: (script, streamed) => (streamed ? stream(script) : whole(script)),
  failure(kind, message, retryAfter) {
    const [status, type] = failures[kind];
    const body = { type: 'error', error: { type, message: wordsOf(kind, message) }, request_id: 'req_1' };
    const headers: Record<string, string> =
      retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
    return { ...json(body), status, headers: { 'content-type': 'application/json', ...headers } };
  },
  failureEvent(kind, message) {
    const [, type] = failures[kind];
    return event({ type: 'error', error: { type, message: wordsOf(kind, message) } });
  },
  malformedEvent: () =>
    Buffer.from('event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"ty\n\n'),
  readRequest: (body) => ({
    streamed: body.stream === true,
    system: textsOf(body.system),
    turns: (body.messages as { role: 'user' | 'assistant'; content: readonly JsonObject[] }[]).flatMap(
      ({ role, content }) => readTurn(role, content),
    ),
    tools: ((body.tools ?? []) as JsonObject[]).map((tool) => ({
      name: String(tool.name),
      parameters: tool.input_schema,
    })),
    maxOutputTokens: Number(body.max_tokens),
  }),
};

function wordsOf(kind: ScriptedFailure, message: string): string {
  return kind === 'context_length'
    ? `prompt is too long: 210000 tokens > 200000 maximum. ${message}`
    : message;
}

function stream({ utterances, finish, usage = {} }: ScriptedAnswer): WireAnswer {
  const counts = inputCounts(usage);
  const blocks = utterances.flatMap(blocksOf);
  const pieces = [
    {
      type: 'message_start',
      message: { ...envelope, content: [], stop_reason: null, usage: { ...counts, output_tokens: 1 } },
    },
    { type: 'ping' },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: stopReasons[finish], stop_sequence: null },
      usage: outputCounts(usage),
    },
    { type: 'message_stop' },
  ];
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    body: pieces.map(event),
  };
}

function whole({ utterances, finish, usage = {} }: ScriptedAnswer): WireAnswer {
  return json({
    ...envelope,
    content: utterances.flatMap(blocksOf).map((block) => block.whole),
    stop_reason: stopReasons[finish],
    stop_sequence: null,
    usage: { ...inputCounts(usage), ...outputCounts(usage) },
  });
}

const envelope = { id: 'msg_01', type: 'message', role: 'assistant', model: 'claude-test' };

function inputCounts({ input, cacheRead, cacheWrite }: ScriptedUsage): JsonObject {
  return {
    input_tokens: input === undefined ? undefined : input - (cacheRead ?? 0) - (cacheWrite ?? 0),
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  };
}

function outputCounts({ output, reasoning }: ScriptedUsage): JsonObject {
  const output_tokens_details = reasoning === undefined ? undefined : { thinking_tokens: reasoning };
  return { output_tokens: output, output_tokens_details };
}

function blocksOf(utterance: Utterance): readonly Block[] {
  if ('say' in utterance) {
    return cutByCitations(utterance.say, utterance.citations).map(({ pieces, citation }) => {
      const cited = citation && {
        type: 'web_search_result_location',
        url: citation.url,
        title: citation.title,
        encrypted_index: 'E',
        cited_text: citation.content ?? '',
      };
      const citations = cited === undefined ? null : [cited];
      return {
        whole: { type: 'text', text: pieces.join(''), citations },
        start: { type: 'text', text: '', citations: cited === undefined ? null : [] },
        deltas: [
          ...(cited === undefined ? [] : [{ type: 'citations_delta', citation: cited }]),
          ...pieces.map((text) => ({ type: 'text_delta', text })),
        ],
      };
    });
  }
  if ('think' in utterance) return [thought(utterance)];
  if ('call' in utterance) {
    return utterance.call.map(({ id, name, arguments: pieces }) => ({
      whole: { type: 'tool_use', id, name, input: inputOf(pieces.join('')) },
      start: { type: 'tool_use', id, name, input: {} },
      deltas: pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
    }));
  }
  throw new Error(`The dialect cannot say ${JSON.stringify(utterance)}.`);
}

function thought({ think, signature = '', encrypted }: Extract<Utterance, { think: unknown }>): Block {
  if (encrypted !== undefined) {
    const redacted = { type: 'redacted_thinking', data: encrypted };
    return { whole: redacted, start: redacted, deltas: [] };
  }
  return {
    whole: { type: 'thinking', thinking: think.join(''), signature },
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...think.map((thinking) => ({ type: 'thinking_delta', thinking })),
      ...(signature === '' ? [] : [{ type: 'signature_delta', signature }]),
    ],
  };
}

/** A call that was cut off has no input in a whole message. */
function inputOf(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    return {};
  }
}

function readTurn(role: 'user' | 'assistant', content: readonly JsonObject[]): SeenTurn[] {
  const text = textsOf(content);
  const media = content
    .filter(({ type }) => type === 'image' || type === 'document')
    .map(({ type }) => String(type));
  const others = content.flatMap((block): SeenTurn[] => {
    switch (block.type) {
      case 'tool_use':
        return [{ call: { id: String(block.id), name: String(block.name), arguments: block.input } }];
      case 'tool_result':
        return [{ output: { id: String(block.tool_use_id), text: textsOf(block.content) } }];
      case 'thinking':
        return [{ thinking: { text: String(block.thinking), signature: String(block.signature) } }];
      case 'redacted_thinking':
        return [{ thinking: { text: '', encrypted: String(block.data) } }];
      default:
        return [];
    }
  });
  return text === '' && media.length === 0 ? others : [...others, { role, text, media }];
}

function textsOf(blocks: unknown): string {
  if (!Array.isArray(blocks)) return typeof blocks === 'string' ? blocks : '';
  return (blocks as JsonObject[]).map(({ text }) => (typeof text === 'string' ? text : '')).join('');
}

function event(data: JsonObject & { readonly type?: unknown }): Buffer {
  return Buffer.from(`event: ${String(data.type)}\ndata: ${JSON.stringify(data)}\n\n`);
}

function json(body: JsonObject): WireAnswer {
  const headers = { 'content-type': 'application/json' };
  return { status: 200, headers, body: [Buffer.from(JSON.stringify(body))] };
}
