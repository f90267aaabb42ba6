import type { Annotation, FinishReason } from '../../src/core/delta.ts';
import type {
  Answer,
  Content,
  GenerateContentBody,
  Part,
  UsageMetadata,
} from '../../src/upstream/google-gemini/wire.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { testApiKey } from '../fake-upstream/upstream-call.ts';
import { geminiAnswer, geminiStream, wholeGeminiAnswer } from '../support/gemini-answers.ts';
import type {
  DialectScript,
  ScriptedAnswer,
  ScriptedFailure,
  ScriptedUsage,
  SeenRequest,
  SeenTurn,
  Utterance,
  WireAnswer,
} from './dialect-script.ts';

const finishReasons = {
  stop: 'STOP',
  tool_calls: 'STOP',
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
} as const satisfies Record<FinishReason, string>;

/** HTTP status, canonical status, and further words of failures, as the provider reports them. */
const failures: Readonly<Record<ScriptedFailure, readonly [number, string, string?]>> = {
  rate_limit: [429, 'RESOURCE_EXHAUSTED'],
  overloaded: [503, 'UNAVAILABLE'],
  server: [500, 'INTERNAL'],
  authentication: [400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.'],
  context_length: [
    400,
    'INVALID_ARGUMENT',
    'The input token count (2097152) exceeds the maximum number of tokens allowed (1048576).',
  ],
  invalid_request: [400, 'INVALID_ARGUMENT'],
};

/** What the adapter sends in place of a signature of other models' calls. */
const foreignSignature = 'skip_thought_signature_validator';

/**
 * How Gemini says things: events are answers that continue each other, calls come whole, thoughts are summaries. A
 * signature stands on the call it vouches for; where a thought leads to a text it comes after that, sealed.
 */
export const googleGemini: DialectScript = {
  adapter: 'google-gemini',
  credential: testApiKey,
  basePath: '/v1beta',
  model: 'gemini-3-flash-preview',
  cannot: new Set(['refuse', 'signature', 'cut call']),
  answer: (script, streamed) => (streamed ? streamAnswer(script) : wholeAnswer(script)),
  failure: (kind, message, retryAfter) => ({
    status: failures[kind][0],
    headers: { 'content-type': 'application/json; charset=UTF-8' },
    body: [Buffer.from(JSON.stringify({ error: errorOf(kind, message, retryAfter) }))],
  }),
  failureEvent: (kind, message) => Buffer.from(geminiStream([{ error: errorOf(kind, message) }])),
  malformedEvent: () => Buffer.from('data: {"candidates":[{"content":{"pa\r\n\r\n'),
  readRequest: (body, path) => readRequest({ contents: [], ...body }, path),
};

function errorOf(kind: ScriptedFailure, message: string, retryAfter?: number): JsonObject {
  const [code, status, words] = failures[kind];
  const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfter}s` };
  return {
    code,
    message: words === undefined ? message : `${message} ${words}`,
    status,
    ...(retryAfter === undefined ? {} : { details: [retry] }),
  };
}

function streamAnswer(script: ScriptedAnswer): WireAnswer {
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: answersOf(script).map((answer) => Buffer.from(geminiStream([answer]))),
  };
}

function wholeAnswer(script: ScriptedAnswer): WireAnswer {
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=UTF-8' },
    body: [Buffer.from(JSON.stringify(wholeGeminiAnswer(answersOf(script))))],
  };
}

/** One answer for each fragment; the last ends it, with counts and sources. */
function answersOf({ utterances, finish, usage }: ScriptedAnswer): Answer[] {
  const parts = utterances.flatMap((utterance, index) => partsOf(utterance, utterances[index - 1]));
  const said = utterances.flatMap((utterance) => ('say' in utterance ? [utterance] : []));
  const last = said.at(-1);
  const groundingMetadata = last?.citations && groundingOf(last.say.join(''), last.citations);
  const ending = {
    finishReason: finishReasons[finish],
    usageMetadata: usage && usageOf(usage),
    groundingMetadata,
  };
  return [...parts.map((part) => geminiAnswer([part])), geminiAnswer([], ending)];
}

function partsOf(utterance: Utterance, before: Utterance | undefined): Part[] {
  if ('say' in utterance) {
    const seal = before !== undefined && 'think' in before ? before.encrypted : undefined;
    const pieces = utterance.say.map((text): Part => ({ text }));
    return seal === undefined ? pieces : [...pieces, { text: '', thoughtSignature: seal }];
  }
  if ('think' in utterance) return thoughtsOf(utterance.think);
  if ('summarize' in utterance) return thoughtsOf(utterance.summarize);
  if ('picture' in utterance) return [{ inlineData: { mimeType: 'image/png', data: utterance.picture } }];
  if ('refuse' in utterance) throw new Error('this dialect has no refusals');
  const signature = before !== undefined && 'think' in before ? before.signature : undefined;
  return utterance.call.map(({ id, name, arguments: pieces }, index) => ({
    functionCall: { id, name, args: JSON.parse(pieces.join('') || '{}') },
    ...(index === 0 && signature !== undefined ? { thoughtSignature: signature } : {}),
  }));
}

function thoughtsOf(pieces: readonly string[]): Part[] {
  return pieces.map((text) => ({ text, thought: true }));
}

/** Offsets count bytes. */
function groundingOf(text: string, citations: readonly Annotation[]) {
  const cited = citations.filter((citation) => citation.type === 'url_citation');
  const bytes = (units: number) => Buffer.byteLength(text.slice(0, units));
  return {
    groundingChunks: cited.map(({ url, title }) => ({ web: { uri: url, title } })),
    groundingSupports: cited.map(({ start_index, end_index }, index) => ({
      segment: {
        startIndex: bytes(start_index),
        endIndex: bytes(end_index),
        text: text.slice(start_index, end_index),
      },
      groundingChunkIndices: [index],
    })),
  };
}

function usageOf({ input, output, cacheRead, reasoning }: ScriptedUsage): UsageMetadata {
  const candidates = output === undefined ? undefined : output - (reasoning ?? 0);
  return {
    promptTokenCount: input,
    candidatesTokenCount: candidates,
    cachedContentTokenCount: cacheRead,
    thoughtsTokenCount: reasoning,
    totalTokenCount: input === undefined || output === undefined ? undefined : input + output,
  };
}

function readRequest(body: GenerateContentBody, path: string): SeenRequest {
  const declared = body.tools?.flatMap(({ functionDeclarations = [] }) => functionDeclarations) ?? [];
  return {
    streamed: path.includes(':streamGenerateContent'),
    system: textOf(body.systemInstruction?.parts ?? []),
    turns: body.contents.flatMap(readContent),
    tools: declared.map(({ name = '', parametersJsonSchema: parameters }) => ({ name, parameters })),
    maxOutputTokens: body.generationConfig?.maxOutputTokens,
  };
}

function readContent({ role, parts }: Content): SeenTurn[] {
  if (role === 'model') return parts.flatMap(readModelPart);
  const outputs = parts.flatMap(({ functionResponse }): SeenTurn[] =>
    functionResponse === undefined
      ? []
      : [{ output: { id: functionResponse.id, text: outputOf(functionResponse) } }],
  );
  const media = parts.flatMap(({ inlineData, fileData }) => inlineData?.data ?? fileData?.fileUri ?? []);
  const text = textOf(parts);
  if (text === '' && media.length === 0) return outputs;
  return [...outputs, { role: 'user', text, ...(media.length > 0 ? { media } : {}) }];
}

function outputOf({ response }: NonNullable<Part['functionResponse']>): string {
  return typeof response?.output === 'string' ? response.output : JSON.stringify(response);
}

function readModelPart({ text, thought, thoughtSignature, functionCall }: Part): SeenTurn[] {
  if (functionCall !== undefined) {
    const { id, name = '', args } = functionCall;
    const own = thoughtSignature !== undefined && thoughtSignature !== foreignSignature;
    const sealed: SeenTurn[] = own ? [{ thinking: { text: '', signature: thoughtSignature } }] : [];
    return [...sealed, { call: { id, name, arguments: args } }];
  }
  const encrypted = thoughtSignature === undefined ? {} : { encrypted: thoughtSignature };
  if (thought === true) return [{ thinking: { text: text ?? '', ...encrypted } }];
  const said: SeenTurn[] = text ? [{ role: 'assistant', text }] : [];
  return thoughtSignature === undefined ? said : [...said, { thinking: { text: '', ...encrypted } }];
}

function textOf(parts: readonly Part[]): string {
  return parts.flatMap(({ text }) => text ?? []).join('\n');
}
