import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { usdToNumber } from '../core/money.ts';
import { totalInput } from '../core/usage.ts';
import type { RequestTrace, TracedTurn } from '../ports/request-trace.ts';
import type { AnswerContent } from '../telemetry/answer-content.ts';
import { conversationOf, saidMessage } from '../telemetry/conversation.ts';
import { requestSpans, type SpanSettings } from '../telemetry/request-spans.ts';
import type { SpanView } from '../telemetry/span-view.ts';
import type { BodyForm } from './destination-types.ts';
import type { FieldValues } from './filter-rules.ts';

/** What writes spans in the form of a protocol. */
export interface Serializers {
  readonly json: (spans: readonly ReadableSpan[]) => Uint8Array;
  readonly protobuf: (spans: readonly ReadableSpan[]) => Uint8Array;
  readonly resource: (attributes: Readonly<Record<string, string>>) => Resource;
}

/** Loads what writes spans; only where there is a destination. */
export async function loadSerializers(): Promise<Serializers> {
  const [{ JsonTraceSerializer, ProtobufTraceSerializer }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/otlp-transformer'),
    import('@opentelemetry/resources'),
  ]);
  const written = (bytes: Uint8Array | undefined) => bytes ?? new Uint8Array();
  return {
    json: (spans) => written(JsonTraceSerializer.serializeRequest([...spans])),
    protobuf: (spans) => written(ProtobufTraceSerializer.serializeRequest([...spans])),
    resource: (attributes) => resourceFromAttributes(attributes),
  };
}

/** One request, as a destination of a form gets it. */
export function payloadOf(
  trace: RequestTrace,
  form: BodyForm,
  settings: SpanSettings & { readonly view: SpanView },
  serializers: Serializers,
): Buffer {
  if (form === 'rows') return Buffer.from(`${JSON.stringify(rowOf(trace, settings.view))}\n`);
  const spans = requestSpans(trace, settings);
  if (form === 'otlp-protobuf') return Buffer.from(serializers.protobuf(spans));
  return Buffer.from(serializers.json(spans));
}

const opening = Buffer.from('{"resourceSpans":[');
const comma = Buffer.from(',');
const closing = Buffer.from(']}');
const newline = Buffer.from('\n');

/** The payloads of several requests as one body. */
export function bodyOf(form: BodyForm, payloads: readonly Buffer[]): Buffer {
  switch (form) {
    // Messages of one type, one behind the other, are one message with the entries of all.
    case 'otlp-protobuf':
    case 'rows':
      return Buffer.concat(payloads);
    case 'lines':
      return Buffer.concat(payloads.flatMap((payload) => [payload, newline]));
    case 'otlp-json': {
      const inner = payloads.map((payload) => payload.subarray(opening.length, -closing.length));
      return Buffer.concat([
        opening,
        ...inner.flatMap((entry, index) => (index === 0 ? [entry] : [comma, entry])),
        closing,
      ]);
    }
  }
}

/** What an export of nothing looks like: the body of a test. */
export function emptyBody(form: BodyForm): Buffer {
  return form === 'otlp-json' ? Buffer.concat([opening, closing]) : Buffer.alloc(0);
}

/** What rules of filters compare. @param content Undefined where what was said may not be looked at. */
export function fieldValues(trace: RequestTrace, content: AnswerContent | undefined): FieldValues {
  const { request, key, turns, cost } = trace;
  const own = turns.filter(({ parentSpanId }) => parentSpanId === trace.spanId);
  const last = own.at(-1)?.generation;
  const sums = tokensOf(trace);
  return {
    model: last?.model ?? request?.models[0],
    provider: last?.provider,
    session_id: request?.sessionId,
    user_id: request?.user,
    api_key_name: key?.name,
    finish_reason: last?.finishReason ?? undefined,
    total_cost: usdToNumber(cost),
    prompt_tokens: sums.input,
    completion_tokens: sums.output,
    total_tokens: sums.input === undefined ? undefined : sums.input + (sums.output ?? 0),
    ...(content !== undefined && textsOf(trace, content)),
  };
}

function textsOf(trace: RequestTrace, content: AnswerContent): FieldValues {
  const own = trace.turns.filter(({ parentSpanId }) => parentSpanId === trace.spanId);
  const first = own[0]?.request.canonical;
  const asked = first && conversationOf(first);
  const texts = (parts: readonly Readonly<Record<string, unknown>>[]) =>
    parts.flatMap((part) => (typeof part.content === 'string' ? [part.content] : []));
  const input = asked && [asked.system, ...asked.messages.map(({ parts }) => parts)].flatMap(texts);
  const output = content.turns.flatMap(({ parts }) =>
    parts.flatMap(({ kind, text }) => (kind === 'text' ? [text] : [])),
  );
  return { input: input?.join('\n'), output: output.length === 0 ? undefined : output.join('\n') };
}

/** Tokens of all turns; undefined where no provider reported any. */
function tokensOf({ turns }: RequestTrace): { readonly input?: number; readonly output?: number } {
  let sums: { input?: number; output?: number } = {};
  for (const { generation } of turns) {
    if (generation === undefined) continue;
    const input = totalInput(generation.usage);
    const { output } = generation.usage;
    sums = {
      ...sums,
      ...(input !== undefined && { input: (sums.input ?? 0) + input }),
      ...(output !== undefined && { output: (sums.output ?? 0) + output }),
    };
  }
  return sums;
}

/** One row for ClickHouse, whose table the page of destinations gives (docs/spec/destinations.md#clickhouse). */
function rowOf(trace: RequestTrace, view: SpanView): Readonly<Record<string, unknown>> {
  const { exchange, place, field, request, turns, startedAt, endedAt = startedAt, end } = trace;
  const own = turns.filter(({ parentSpanId }) => parentSpanId === trace.spanId);
  const last = own.at(-1)?.generation;
  const { input, output } = tokensOf(trace);
  return {
    id: exchange.id,
    trace_id: field?.traceId ?? place.traceId,
    session_id: request?.sessionId ?? '',
    ...ownersOf(trace, view),
    started_at: new Date(startedAt).toISOString(),
    duration_ms: Math.round(endedAt - startedAt),
    latency_ms: last?.latency ?? null,
    route: exchange.route,
    status: end?.status ?? 0,
    error_type: end?.errorType ?? last?.errorType ?? '',
    model: last?.model ?? request?.models[0] ?? '',
    provider: last?.provider ?? '',
    finish_reason: last?.finishReason ?? '',
    input_tokens: input ?? null,
    output_tokens: output ?? null,
    cost_usd: view.cost ? usdToNumber(trace.cost) : null,
    turns: own.length,
    attempts: turns.reduce((sum, { attempts }) => sum + attempts.length, 0),
    metadata: JSON.stringify(field?.metadata ?? {}),
    ...saidOf(own, view, trace.tools),
  };
}

/** Who a row is of, where its owner may know. */
function ownersOf({ request, key }: RequestTrace, { identity }: SpanView) {
  return { user_id: (identity && request?.user) || '', key_label: (identity && key?.label) || '' };
}

/** What was asked last and what was said, as JSON; empty where that stays here. */
function saidOf(turns: readonly TracedTurn[], { content }: SpanView, tools: RequestTrace['tools']) {
  if (content === undefined) return { input: '', output: '' };
  const last = turns.at(-1);
  const said = content.turns.flatMap(({ generationId }, index) => {
    const finish = last?.generation?.finishReason ?? undefined;
    const said = { index, ...(generationId !== undefined && { generationId }), finish };
    const message = saidMessage(content, said, tools);
    return message === undefined ? [] : [message];
  });
  const asked = last === undefined ? '' : JSON.stringify(conversationOf(last.request.canonical));
  return { input: asked, output: JSON.stringify(said) };
}
