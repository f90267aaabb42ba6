import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib';
import { errorTable } from '../core/errors.ts';
import type { RequestTrace, TracedTurn } from '../ports/request-trace.ts';
import type { AnswerContent } from '../telemetry/answer-content.ts';
import { type Conversation, conversationOf, saidMessage } from '../telemetry/conversation.ts';
import type { JsonObject } from '../util/json.ts';

/** How a call failed, as clients of the interface read it. */
export interface ContentError {
  readonly status: number | null;
  readonly message: string | null;
  readonly provider_name: string | null;
  readonly raw: string | null;
  readonly previous_errors: readonly {
    readonly code: number;
    readonly message: string;
    readonly provider_name: string | null;
    readonly raw: string | null;
  }[];
}

/** What was said in one call, as it is sealed. */
export interface ContentRecord {
  readonly conversation: Conversation;
  /** What the model answered; undefined where it said nothing. */
  readonly output?: NonNullable<ReturnType<typeof saidMessage>>;
  readonly error: ContentError | null;
  /** Characters that were left out of both. */
  readonly cut: number;
}

/** Bytes that one record has at most. */
const longestRecord = 1024 * 1024;
const fewestCharacters = 1_024;

/** The record of a turn as JSON. @param index Which of the kept ones it is. */
export function recordText(
  trace: RequestTrace,
  content: AnswerContent,
  { turn, index, isLast }: { readonly turn: TracedTurn; readonly index: number; readonly isLast: boolean },
): string {
  const { generation, request } = turn;
  const output = saidMessage(
    content,
    {
      ...(generation !== undefined && { generationId: generation.id }),
      index,
      finish: generation?.finishReason ?? undefined,
    },
    trace.tools,
  );
  const error = isLast ? errorOf(trace, turn) : null;
  for (let most: number | undefined; ; most = Math.floor((most ?? longestRecord) / 2)) {
    const conversation = conversationOf(request.canonical, most);
    const fitted = most === undefined || output === undefined ? output : shortened(output, most);
    const cut = conversation.cut + content.cut + (output && fitted ? lengthOf(output) - lengthOf(fitted) : 0);
    const record: ContentRecord = { conversation, ...(fitted && { output: fitted }), error, cut };
    const text = JSON.stringify(record);
    // Characters beyond ASCII take more bytes than one, and escapes more characters.
    if (Buffer.byteLength(text) <= longestRecord || (most ?? longestRecord) < fewestCharacters) return text;
  }
}

type Message = NonNullable<ContentRecord['output']>;

function lengthOf({ parts }: Message): number {
  return parts.reduce((sum, part) => sum + (textOf(part)?.length ?? 0), 0);
}

function shortened(message: Message, most: number): Message {
  let left = most;
  const parts = message.parts.map((part) => {
    const name = 'content' in part ? 'content' : 'arguments';
    const fitted = (textOf(part) ?? '').slice(0, left);
    left -= fitted.length;
    return { ...part, [name]: fitted };
  });
  return { ...message, parts };
}

function textOf(part: JsonObject): string | undefined {
  const text = part.content ?? part.arguments;
  return typeof text === 'string' ? text : undefined;
}

/** How the last call of a request failed; null where it did not. */
function errorOf({ failure, end }: RequestTrace, { generation, attempts }: TracedTurn): ContentError | null {
  const isFailed = generation?.errorType !== undefined || generation?.finishReason === 'error';
  if (!isFailed) return null;
  const failed = attempts.flatMap(({ made }) => (made?.failure === undefined ? [] : [made]));
  const all = failed.map(({ status, provider, failure: why }) => ({
    code: status,
    message: why === undefined ? '' : errorTable[why.row].text,
    provider_name: provider,
    raw: why?.code ?? null,
  }));
  const last = all.at(-1);
  return {
    status: failure?.status ?? last?.code ?? end?.status ?? null,
    message: failure?.message ?? last?.message ?? null,
    provider_name: last?.provider_name ?? null,
    raw: last?.raw ?? null,
    previous_errors: all.slice(0, -1),
  };
}

/** Bytes that are packed at once: more take a thread of their own. */
const packedAtOnce = 16 * 1024;
/** Small windows, which a small text fits in, cost a third less. */
const small = { level: 1, memLevel: 6, windowBits: 12 } as const;
const packElsewhere = promisify<Buffer, Buffer>(deflateRaw);

/** Compresses a record. */
export async function packRecord(text: string): Promise<Buffer> {
  const bytes = Buffer.from(text);
  return bytes.length <= packedAtOnce ? deflateRawSync(bytes, small) : packElsewhere(bytes);
}

/** The other way. @throws Error for what is no record. */
export function unpackRecord(packed: Buffer): ContentRecord {
  return JSON.parse(inflateRawSync(packed, { maxOutputLength: 2 * longestRecord }).toString());
}

/** The form of the interface: what was asked and answered, as texts where they are nothing but that. */
export function showRecord({ conversation, output, error, cut }: ContentRecord) {
  const { system, messages } = conversation;
  const all = system.length === 0 ? messages : [{ role: 'system', parts: system } as const, ...messages];
  return {
    input: { messages: all.map(showMessage) },
    output: { completion: said(output, 'text'), reasoning: said(output, 'reasoning') },
    error,
    conversation: {
      system,
      messages: messages.map((message) => ({ ...message })),
      tools: conversation.tools,
      output: output === undefined ? null : { ...output },
      truncated: cut > 0,
      characters_left_out: cut,
    },
  };
}

function showMessage({ role, parts }: Pick<Message, 'role' | 'parts'>): JsonObject {
  const isText = parts.every(({ type }) => type === 'text');
  return { role, content: isText ? parts.map(({ content }) => content).join('') : [...parts] };
}

/** All texts of a kind together; null where there are none. */
function said(message: Message | undefined, kind: 'text' | 'reasoning'): string | null {
  const texts = (message?.parts ?? []).flatMap((part) => (part.type === kind ? [String(part.content)] : []));
  return texts.length === 0 ? null : texts.join('');
}
