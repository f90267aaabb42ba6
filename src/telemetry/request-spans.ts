import { type Attributes, type Link, type SpanContext, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { usdToNumber } from '../core/money.ts';
import { chatOf } from '../core/request.ts';
import { cachedInput, totalInput } from '../core/usage.ts';
import type { Generation } from '../ports/generations.ts';
import {
  newSpanId,
  type RequestTrace,
  type SpanReference,
  type TracedAttempt,
  type TracedStage,
  type TracedTool,
  type TracedTurn,
  type TracePlace,
  type TraceTime,
} from '../ports/request-trace.ts';
import type { AnswerContent } from './answer-content.ts';
import { type Conventions, genAi, genAiNames } from './conventions.ts';
import { type Conversation, conversationOf, saidMessage } from './conversation.ts';
import { isWithheld, placeByField, type SpanView } from './span-view.ts';

/** What all spans of a process share. */
export interface SpanSettings {
  readonly resource: Resource;
  readonly conventions: Conventions;
  readonly version: string;
  /** How a destination of a workspace sees requests; undefined for the operator's own collector. */
  readonly view?: SpanView;
}

type Value = string | number | boolean | readonly string[] | undefined;

/** Characters of texts that clients choose. */
const longestText = 256;

/**
 * The spans of a request that is over: the request itself, and below it what stages did, the turns with their attempts, and
 * the tools beside the turns that called them (docs/spec/telemetry.md#the-tree).
 */
export function requestSpans(trace: RequestTrace, settings: SpanSettings): readonly ReadableSpan[] {
  const spans = new Spans(trace, settings);
  spans.addRequest();
  spans.addNamed();
  for (const stage of trace.stages) spans.addStage(stage);
  for (const turn of trace.turns) spans.addTurn(turn);
  for (const tool of trace.tools) spans.addTool(tool);
  return spans.all;
}

/** What makes one span. */
interface SpanParts {
  readonly spanId: string;
  /** Undefined for the request, whose parent is a span of its client, if any. */
  readonly parent: SpanContext | undefined;
  readonly kind: SpanKind;
  readonly from: TraceTime;
  readonly to: TraceTime;
  readonly isError?: boolean;
  readonly links?: Link[];
  readonly attributes: Readonly<Record<string, Value>>;
}

class Spans {
  readonly all: ReadableSpan[] = [];
  readonly #trace: RequestTrace;
  readonly #settings: SpanSettings;
  readonly #scope;
  readonly #end: TraceTime;
  readonly #place: TracePlace;
  /** The span between the request and its turns, where the client names one. */
  readonly #named: string | undefined;
  #turns = 0;

  constructor(trace: RequestTrace, settings: SpanSettings) {
    this.#trace = trace;
    this.#settings = settings;
    const { schemaUrl } = genAiNames[settings.conventions];
    this.#scope = { name: 'headgate', version: settings.version, schemaUrl };
    // What goes on after the exchange belongs to the request all the same.
    this.#end = Math.max(trace.endedAt ?? 0, ...trace.turns.map(({ settledAt = 0 }) => settledAt));
    this.#place = settings.view === undefined ? trace.place : placeByField(trace);
    this.#named =
      settings.view === undefined || trace.field?.spanName === undefined ? undefined : newSpanId();
  }

  addRequest(): void {
    const { exchange, end, spanId, startedAt, field } = this.#trace;
    const place = this.#place;
    const { parent } = place;
    const status = end?.status ?? 0;
    const span = {
      spanId,
      parent: parent && { ...this.#context(parent.spanId, parent.traceId), isRemote: true },
      kind: SpanKind.SERVER,
      from: startedAt,
      to: this.#end,
      isError: status >= 500,
      links: place.link === undefined ? [] : [linkTo(place.link)],
      attributes: this.#requestAttributes(),
    };
    const name = this.#settings.view === undefined ? undefined : field?.traceName;
    this.#add(name ?? `${exchange.method} ${exchange.route}`, span);
  }

  /** The span that the client wants between the request and its turns. */
  addNamed(): void {
    const name = this.#trace.field?.spanName;
    if (this.#named === undefined || name === undefined) return;
    this.#add(name, {
      spanId: this.#named,
      parent: this.#context(this.#trace.spanId),
      kind: SpanKind.INTERNAL,
      from: this.#trace.startedAt,
      to: this.#end,
      attributes: {},
    });
  }

  addStage({ spanId, entry, startedAt, endedAt }: TracedStage): void {
    const { type, name, data = {} } = entry;
    const isGuardrail = entry.guardrailId !== undefined || type === 'guardrail';
    const shown = type === 'router' ? 'route' : `${isGuardrail ? 'guardrail' : 'plugin'} ${name}`;
    this.#add(shown, {
      spanId,
      parent: this.#root,
      kind: SpanKind.INTERNAL,
      from: startedAt,
      to: endedAt,
      attributes: {
        ...(isGuardrail
          ? {
              'headgate.guardrail.id': entry.guardrailId,
              'headgate.guardrail.scope': entry.guardrailScope,
              'headgate.guardrail.action': textOf(data.action),
              'headgate.guardrail.detected': flagOf(data.detected),
              'headgate.guardrail.engines': namesOf(data.engines),
              'headgate.guardrail.timed_out': flagOf(data.timed_out),
            }
          : { 'headgate.stage': name }),
        'headgate.router': type === 'router' ? name : undefined,
        'headgate.cost_usd': entry.costUsd,
      },
    });
  }

  addTurn(turn: TracedTurn): void {
    const { generation, spanId, startedAt, settledAt = this.#end, answeredAt = settledAt } = turn;
    const isChat = turn.request.canonical.kind === 'chat';
    const model = generation?.model ?? turn.attempts.at(-1)?.made?.model ?? turn.request.models[0] ?? '';
    const operation = isChat ? 'chat' : 'embeddings';
    const isFailed = generation === undefined || generation.finishReason === 'error';
    const context = this.#context(spanId);
    const isOwn = turn.parentSpanId === this.#trace.spanId;
    const { view } = this.#settings;
    const named = view === undefined ? undefined : this.#trace.field?.generationName;
    this.#add(named ?? `${operation} ${model}`, {
      spanId,
      parent: this.#parentOf(turn),
      kind: SpanKind.CLIENT,
      from: startedAt,
      to: answeredAt,
      isError: isFailed && generation?.cancelled !== true,
      attributes: {
        [genAi.operation]: operation,
        ...this.#turnAttributes(turn),
        ...(view?.content !== undefined && isOwn && this.#said(turn, view.content)),
      },
    });
    for (const [index, attempt] of turn.attempts.entries())
      this.#addAttempt(attempt, index, answeredAt, context);
    if (turn.answeredAt === undefined || !isOwn) return;
    this.#add('settle', {
      spanId: newSpanId(),
      parent: this.#root,
      kind: SpanKind.INTERNAL,
      from: answeredAt,
      to: settledAt,
      attributes: { 'headgate.generation_id': generation?.id },
    });
  }

  addTool(tool: TracedTool): void {
    const { spanId, type, name, callId, startedAt, endedAt = this.#end, failed = false, cost, mcp } = tool;
    this.#add(mcp === undefined ? `execute_tool ${name}` : `tools/call ${mcp.tool}`, {
      spanId,
      parent: this.#parentOf(tool),
      kind: mcp === undefined ? SpanKind.INTERNAL : SpanKind.CLIENT,
      from: startedAt,
      to: endedAt,
      isError: failed,
      attributes: {
        [genAi.operation]: 'execute_tool',
        [genAi.toolName]: mcp?.tool ?? name,
        [genAi.toolType]: 'extension',
        [genAi.toolCallId]: callId,
        'error.type': failed ? 'tool_failed' : undefined,
        'mcp.method.name': mcp && 'tools/call',
        'headgate.mcp.server_label': mcp?.server,
        'headgate.tool': type,
        'headgate.cost_usd': cost === undefined ? undefined : usdToNumber(cost),
        ...this.#asked(callId),
      },
    });
  }

  /** Where a turn or a tool of the request itself stands, or one within a tool. */
  #parentOf({ parentSpanId }: { readonly parentSpanId: string }): SpanContext {
    const isOwn = parentSpanId === this.#trace.spanId;
    return this.#context(isOwn && this.#named !== undefined ? this.#named : parentSpanId);
  }

  #asked(callId: string): SpanParts['attributes'] {
    const tool = this.#settings.view?.content?.tools.get(callId);
    if (tool === undefined) return {};
    return { [genAi.toolArguments]: tool.input, [genAi.toolResult]: tool.output };
  }

  /** What was asked and answered in a turn of the request itself. */
  #said({ request, generation }: TracedTurn, content: AnswerContent): SpanParts['attributes'] {
    const { system, messages, tools, cut } = conversationOf(request.canonical);
    const index = this.#turns;
    this.#turns += 1;
    const turn = { generationId: generation?.id, index, finish: generation?.finishReason ?? undefined };
    const said = saidMessage(content, turn, this.#trace.tools);
    const left = cut + content.cut;
    return {
      [genAi.systemInstructions]: jsonOf(system),
      [genAi.inputMessages]: jsonOf(messages),
      [genAi.toolDefinitions]: jsonOf(tools),
      [genAi.outputMessages]: said && JSON.stringify([said]),
      'headgate.truncated': left > 0 || undefined,
      'headgate.characters_left_out': left || undefined,
    };
  }

  #addAttempt(
    { spanId, endpoint, startedAt, endedAt, made }: TracedAttempt,
    index: number,
    turnEnd: TraceTime,
    parent: SpanContext,
  ): void {
    const { provider, tag } = endpoint;
    const isAnswer = made?.status === 200;
    this.#add('POST', {
      spanId,
      parent,
      kind: SpanKind.CLIENT,
      from: startedAt,
      to: Math.min(endedAt ?? turnEnd, turnEnd),
      isError: made?.failure !== undefined,
      attributes: {
        'http.request.method': 'POST',
        ...addressOf(provider.baseUrl),
        'http.response.status_code': made?.status,
        'http.request.resend_count': index === 0 ? undefined : index,
        'error.type': made?.failure?.row,
        'headgate.attempt.index': index + 1,
        'headgate.attempt.provider': provider.slug,
        'headgate.attempt.endpoint': tag,
        'headgate.attempt.credential': made?.isByok === true ? 'own' : 'shared',
        'headgate.attempt.outcome': isAnswer ? 'answered' : made?.status === 499 ? 'aborted' : 'failed',
        'headgate.attempt.reason': made?.failure?.code ?? made?.failure?.row,
        'headgate.attempt.ttft_ms': isAnswer ? made.latency : undefined,
      },
    });
  }

  #requestAttributes(): SpanParts['attributes'] {
    const { exchange, end, key, request, turns, tools, cost, attribution, field } = this.#trace;
    const isModel = request !== undefined;
    const own = turns.filter(({ parentSpanId }) => parentSpanId === this.#trace.spanId);
    const last = own.at(-1)?.generation;
    return {
      'http.request.method': exchange.method,
      'http.route': exchange.route,
      'http.response.status_code': end?.status,
      'url.scheme': exchange.scheme,
      'user_agent.original': exchange.userAgent?.slice(0, longestText),
      'error.type': end?.errorType ?? last?.errorType,
      'session.id': request?.sessionId,
      'headgate.generation_id': exchange.id,
      'headgate.workspace_id': key?.workspaceId ?? undefined,
      'headgate.key_label': key?.label,
      'headgate.limit_source': end?.limitSource,
      'headgate.requested_model': request?.models[0]?.slice(0, longestText),
      'headgate.router': last?.routedBy,
      'headgate.preset': attribution.preset,
      'headgate.stream': request?.stream,
      'headgate.cost_usd': isModel ? usdToNumber(cost) : undefined,
      'headgate.finish_reason': last?.finishReason,
      'headgate.attempts': isModel
        ? turns.reduce((sum, { attempts }) => sum + attempts.length, 0)
        : undefined,
      'headgate.steps': isModel ? tools.length : undefined,
      'headgate.cache': this.#trace.cache,
      'headgate.cancelled': own.some(({ generation }) => generation?.cancelled === true) || undefined,
      'headgate.trace_name': field?.traceName,
      'headgate.spans_left_out': this.#trace.left || undefined,
      ...(this.#settings.view !== undefined && this.#viewed()),
    };
  }

  /** What only destinations get of the request. */
  #viewed(): SpanParts['attributes'] {
    const { key, request, attribution, field } = this.#trace;
    return {
      ...field?.metadata,
      'user.id': request?.user,
      'headgate.key_hash': key?.hash,
      'headgate.referer': attribution.httpReferer,
      'headgate.title': attribution.appTitle,
      'headgate.origin': attribution.origin,
    };
  }

  #turnAttributes(turn: TracedTurn): SpanParts['attributes'] {
    const { request, generation, attempts } = turn;
    const served = attempts.find(({ made }) => made?.status === 200) ?? attempts.at(-1);
    const provider = served?.endpoint.provider;
    return {
      [genAi.provider]: provider && (provider.conventionName ?? provider.slug),
      [genAi.requestModel]: served?.endpoint.upstreamModel ?? request.models[0]?.slice(0, longestText),
      ...addressOf(provider?.baseUrl),
      ...this.#requested(turn),
      [genAi.conversation]: request.sessionId,
      ...(generation !== undefined && this.#answered(generation)),
    };
  }

  /** What the client asked for; nothing where it did not. */
  #requested({ request: { canonical, stream } }: TracedTurn): SpanParts['attributes'] {
    const { reasoningLevel } = genAiNames[this.#settings.conventions];
    const chat = chatOf(canonical);
    const { sampling = {}, reasoning, format } = chat ?? {};
    return {
      [genAi.maxTokens]: canonical.maxOutputTokens,
      [genAi.temperature]: sampling.temperature,
      [genAi.topP]: sampling.topP,
      [genAi.topK]: sampling.topK,
      [genAi.seed]: sampling.seed,
      [genAi.stopSequences]: sampling.stop,
      [genAi.frequencyPenalty]: sampling.frequencyPenalty,
      [genAi.presencePenalty]: sampling.presencePenalty,
      ...(reasoningLevel !== undefined && { [reasoningLevel]: reasoning?.effort }),
      [genAi.stream]: chat === undefined ? undefined : stream,
      [genAi.outputType]: format === undefined ? undefined : format.kind === 'text' ? 'text' : 'json',
    };
  }

  #answered(generation: Generation): SpanParts['attributes'] {
    const { usage, latency, finishReason } = generation;
    const { cacheWrite, cacheWriteLong } = usage;
    const written =
      cacheWrite === undefined && cacheWriteLong === undefined
        ? undefined
        : (cacheWrite ?? 0) + (cacheWriteLong ?? 0);
    return {
      [genAi.responseId]: generation.upstreamId,
      [genAi.responseModel]: generation.model,
      [genAi.finishReasons]: finishReason === undefined ? undefined : [finishReason],
      [genAi.timeToFirstChunk]: latency === undefined ? undefined : latency / 1000,
      [genAi.inputTokens]: totalInput(usage),
      [genAi.outputTokens]: usage.output,
      [genAi.cacheReadTokens]: cachedInput(usage),
      [genAiNames[this.#settings.conventions].cacheWriteTokens]: written,
      [genAi.reasoningTokens]: usage.reasoning,
      'error.type': generation.errorType,
      'headgate.generation_id': generation.id,
      'headgate.endpoint': generation.endpointTag,
      'headgate.cost_usd': generation.unpriced === true ? undefined : usdToNumber(generation.cost),
      'headgate.byok': generation.isByok,
      'headgate.service_tier': generation.serviceTier,
      'headgate.usage_is_estimated': generation.usageEstimated || undefined,
      'headgate.usage_is_implausible': generation.implausibleUsage !== undefined || undefined,
      'headgate.cancelled': generation.cancelled || undefined,
    };
  }

  get #root(): SpanContext {
    return this.#context(this.#trace.spanId);
  }

  #context(spanId: string, traceId = this.#place.traceId): SpanContext {
    return { traceId, spanId, traceFlags: 1 };
  }

  #add(name: string, { spanId, parent, kind, from, to, isError, links = [], attributes }: SpanParts): void {
    const context = this.#context(spanId);
    const stated: Attributes = {};
    const { view } = this.#settings;
    for (const [key, value] of Object.entries(attributes)) {
      if (value === undefined || (view !== undefined && isWithheld(key, view))) continue;
      const given = typeof value === 'object' ? [...value] : value;
      stated[key] = given;
      const alias = view?.aliases[key];
      if (alias !== undefined) stated[alias] = given;
    }
    this.all.push({
      name,
      kind,
      spanContext: () => context,
      ...(parent !== undefined && { parentSpanContext: parent }),
      startTime: highResolution(from),
      endTime: highResolution(Math.max(from, to)),
      duration: highResolution(Math.max(0, to - from)),
      status: { code: isError === true ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
      attributes: stated,
      links,
      events: [],
      ended: true,
      resource: this.#settings.resource,
      instrumentationScope: this.#scope,
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    });
  }
}

function jsonOf(list: Conversation['messages'] | Conversation['tools']): string | undefined {
  return list.length === 0 ? undefined : JSON.stringify(list);
}

function linkTo(reference: SpanReference): Link {
  return { context: { ...reference, traceFlags: 1, isRemote: true } };
}

/** Seconds and nanoseconds. */
function highResolution(milliseconds: number): [number, number] {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)];
}

function addressOf(baseUrl: string | undefined): SpanParts['attributes'] {
  if (baseUrl === undefined) return {};
  const known = addresses.get(baseUrl);
  if (known !== undefined) return known;
  const url = URL.parse(baseUrl);
  const port = url === null ? 0 : Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const found = url === null ? {} : { 'server.address': url.hostname, 'server.port': port };
  if (addresses.size < mostAddresses) addresses.set(baseUrl, found);
  return found;
}

/** Addresses of providers, of which a configuration has some hundred at most. */
const mostAddresses = 1_000;
const addresses = new Map<string, SpanParts['attributes']>();

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function flagOf(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

function namesOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : undefined;
}
