import type { JsonObject } from '../../src/util/json.ts';
import { binaryEvent, binaryException, binaryMessage } from '../support/binary-message.ts';
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

/** A block with the pieces it streams in; only calls and pictures are announced. */
interface Block {
  readonly whole: JsonObject;
  readonly start?: JsonObject;
  readonly deltas: readonly JsonObject[];
}

const stopReasons = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'content_filtered',
} as const;

const failures: Readonly<Record<ScriptedFailure, readonly [status: number, exception: string]>> = {
  rate_limit: [429, 'ThrottlingException'],
  overloaded: [503, 'ServiceUnavailableException'],
  server: [500, 'InternalServerException'],
  authentication: [403, 'AccessDeniedException'],
  context_length: [400, 'ValidationException'],
  invalid_request: [400, 'ValidationException'],
};

/** The Converse dialect, with a signing credential. */
export const amazonBedrock: DialectScript = {
  adapter: 'amazon-bedrock',
  credential: JSON.stringify({
    accessKeyId: 'AKIDEXAMPLE123456789',
    secretAccessKey: 'wJalrXUtnFEMI+K7MDENG/bPxRfiCYEXAMPLEKEY',
    region: 'eu-central-1',
  }),
  model: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
  cannot: new Set(['summarize', 'refuse']),
  hidesReasoningTokens: true,
  answer: (script, streamed) => (streamed ? stream(script) : whole(script)),
  failure(kind, message, retryAfter) {
    const [status, exception] = failures[kind];
    const wait: Record<string, string> =
      retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
    const headers = { 'content-type': 'application/json', 'x-amzn-errortype': exception, ...wait };
    return { status, headers, body: [Buffer.from(JSON.stringify({ message: wordsOf(kind, message) }))] };
  },
  failureEvent(kind, message) {
    const [, exception] = failures[kind];
    const name = `${exception.charAt(0).toLowerCase()}${exception.slice(1)}`;
    return binaryException(name, { message: wordsOf(kind, message) });
  },
  malformedEvent: () =>
    binaryMessage(
      { ':event-type': 'contentBlockDelta', ':content-type': 'application/json', ':message-type': 'event' },
      '{"contentBlockIndex":0,"delta":{"te',
    ),
  readRequest: (body, path) => {
    const toolConfig = body.toolConfig as { readonly tools?: readonly JsonObject[] } | undefined;
    const limits = body.inferenceConfig as { readonly maxTokens?: number } | undefined;
    return {
      streamed: path.split('?')[0]?.endsWith('/converse-stream') === true,
      system: textsOf(body.system),
      turns: (body.messages as { role: 'user' | 'assistant'; content: readonly JsonObject[] }[]).flatMap(
        ({ role, content }) => readTurn(role, content),
      ),
      tools: (toolConfig?.tools ?? []).map((tool) => {
        const { name, inputSchema } = tool.toolSpec as { name: string; inputSchema: { json: unknown } };
        return { name, parameters: inputSchema.json };
      }),
      maxOutputTokens: limits?.maxTokens,
    };
  },
};

function wordsOf(kind: ScriptedFailure, message: string): string {
  return kind === 'context_length' ? `Input is too long for requested model. ${message}` : message;
}

function stream({ utterances, finish, usage }: ScriptedAnswer): WireAnswer {
  const pieces = utterances
    .flatMap(blocksOf)
    .flatMap(({ start, deltas }, contentBlockIndex) => [
      ...(start === undefined ? [] : [binaryEvent('contentBlockStart', { contentBlockIndex, start })]),
      ...deltas.map((delta) => binaryEvent('contentBlockDelta', { contentBlockIndex, delta, p: 'abcdefgh' })),
      binaryEvent('contentBlockStop', { contentBlockIndex }),
    ]);
  const body = [
    binaryEvent('messageStart', { role: 'assistant' }),
    ...pieces,
    binaryEvent('messageStop', { stopReason: stopReasons[finish] }),
    binaryEvent('metadata', { usage: usage && countsOf(usage), metrics: { latencyMs: 12 } }),
  ];
  return { status: 200, headers: { 'content-type': 'application/vnd.amazon.eventstream' }, body };
}

function whole({ utterances, finish, usage }: ScriptedAnswer): WireAnswer {
  const answer = {
    output: {
      message: { role: 'assistant', content: utterances.flatMap(blocksOf).map((block) => block.whole) },
    },
    stopReason: stopReasons[finish],
    usage: usage && countsOf(usage),
    metrics: { latencyMs: 12 },
  };
  const headers = { 'content-type': 'application/json' };
  return { status: 200, headers, body: [Buffer.from(JSON.stringify(answer))] };
}

function countsOf({ input, cacheRead, cacheWrite, output }: ScriptedUsage): JsonObject {
  return {
    inputTokens: input === undefined ? undefined : input - (cacheRead ?? 0) - (cacheWrite ?? 0),
    outputTokens: output,
    totalTokens: (input ?? 0) + (output ?? 0),
    cacheReadInputTokens: cacheRead,
    cacheWriteInputTokens: cacheWrite,
  };
}

function blocksOf(utterance: Utterance): readonly Block[] {
  if ('say' in utterance) {
    return cutByCitations(utterance.say, utterance.citations).map(({ pieces, citation }) => {
      const text = pieces.join('');
      const deltas = pieces.map((piece) => ({ text: piece }));
      if (citation === undefined) return { whole: { text }, deltas };
      const cited = { title: citation.title, location: { web: { url: citation.url } } };
      return {
        whole: { citationsContent: { content: [{ text }], citations: [cited] } },
        deltas: [...deltas, { citation: cited }],
      };
    });
  }
  if ('think' in utterance) return [thought(utterance)];
  if ('call' in utterance) {
    return utterance.call.map(({ id: toolUseId, name, arguments: pieces }) => ({
      whole: { toolUse: { toolUseId, name, input: inputOf(pieces.join('')) } },
      start: { toolUse: { toolUseId, name } },
      deltas: pieces.map((input) => ({ toolUse: { input } })),
    }));
  }
  if ('picture' in utterance) {
    const source = { bytes: utterance.picture };
    return [
      {
        whole: { image: { format: 'png', source } },
        start: { image: { format: 'png' } },
        deltas: [{ image: { source } }],
      },
    ];
  }
  throw new Error(`The dialect cannot say ${JSON.stringify(utterance)}.`);
}

function thought({ think, signature, encrypted }: Extract<Utterance, { think: unknown }>): Block {
  if (encrypted !== undefined) {
    const reasoningContent = { redactedContent: encrypted };
    return { whole: { reasoningContent }, deltas: [{ reasoningContent }] };
  }
  return {
    whole: { reasoningContent: { reasoningText: { text: think.join(''), signature } } },
    deltas: [...think.map((text) => ({ text })), ...(signature === undefined ? [] : [{ signature }])].map(
      (reasoningContent) => ({ reasoningContent }),
    ),
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
  const media = content.flatMap((block) =>
    ['image', 'document', 'video', 'audio'].filter((kind) => kind in block),
  );
  const others = content.flatMap((block) => readBlock(block));
  return text === '' && media.length === 0 ? others : [...others, { role, text, media }];
}

interface SeenBlock {
  readonly toolUse?: { readonly toolUseId: string; readonly name: string; readonly input: unknown };
  readonly toolResult?: { readonly toolUseId: string; readonly content: unknown };
  readonly reasoningContent?: {
    readonly reasoningText?: { readonly text: string; readonly signature?: string };
    readonly redactedContent?: string;
  };
}

function readBlock({ toolUse, toolResult, reasoningContent }: SeenBlock): SeenTurn[] {
  if (toolUse) return [{ call: { id: toolUse.toolUseId, name: toolUse.name, arguments: toolUse.input } }];
  if (toolResult) return [{ output: { id: toolResult.toolUseId, text: textsOf(toolResult.content) } }];
  if (reasoningContent === undefined) return [];
  const { reasoningText, redactedContent } = reasoningContent;
  const { text = '', signature } = reasoningText ?? {};
  return [{ thinking: { text, signature, encrypted: redactedContent } }];
}

function textsOf(blocks: unknown): string {
  if (!Array.isArray(blocks)) return '';
  return (blocks as JsonObject[]).map(({ text }) => (typeof text === 'string' ? text : '')).join('');
}
