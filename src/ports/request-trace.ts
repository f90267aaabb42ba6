import { randomFillSync } from 'node:crypto';
import type { AnswerParts } from '../core/answer-part.ts';
import type { Endpoint } from '../core/catalogue.ts';
import type { AnyRequest, ClientAttribution } from '../core/inference-request.ts';
import { type NanoUsd, sumUsd, zeroUsd } from '../core/money.ts';
import type { PipelineEntry } from '../core/route-report.ts';
import type { TraceField } from '../core/trace-field.ts';
import type { Account } from './accounts.ts';
import type { Generation, ProviderAttempt } from './generations.ts';
import type { ApiKey } from './keys.ts';
import type { RequestDefaults } from './workspaces.ts';

/** A moment in Unix milliseconds, with fractions, by the clock of one trace. */
export type TraceTime = number;

/** Another span, as `traceparent` names it. */
export interface SpanReference {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
}

/** Where a request stands among the spans of its client. */
export interface TracePlace {
  readonly traceId: string;
  /** The client's span that it belongs to. */
  readonly parent?: SpanReference & { readonly state?: string };
  /** A span that it only refers to, because its sender is not trusted to name the parent. */
  readonly link?: SpanReference;
  /** Whether its spans are exported whatever becomes of it. */
  readonly isSampled: boolean;
}

/** One call of an endpoint. */
export interface TracedAttempt {
  readonly spanId: string;
  readonly endpoint: Endpoint;
  readonly startedAt: TraceTime;
  /** Undefined of the one that answers: it ends with its turn. */
  endedAt?: TraceTime;
  /** How it ended or began to answer. */
  made?: ProviderAttempt;
}

/** Notes the attempts of one turn. */
export interface AttemptTracing {
  /** An endpoint is asked. */
  begin(endpoint: Endpoint): TracedAttempt;
  /** What its provider is sent as `traceparent`; undefined where it shall learn of no trace. */
  parentFor(attempt: TracedAttempt): string | undefined;
  now(): TraceTime;
}

/** One completion by a model, with all its attempts. */
export interface TracedTurn {
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly request: AnyRequest;
  readonly startedAt: TraceTime;
  readonly attempts: TracedAttempt[];
  /** When its answer was whole, or failed, and its charge began to be booked. */
  answeredAt?: TraceTime;
  /** When the charge was durable. */
  settledAt?: TraceTime;
  /** Its record; undefined while it runs. */
  generation?: Generation;
}

/** One call of a tool that the gateway runs. */
export interface TracedTool {
  readonly spanId: string;
  readonly parentSpanId: string;
  /** The type id of the tool, and the name by which the model called it. */
  readonly type: string;
  readonly name: string;
  readonly callId: string;
  readonly startedAt: TraceTime;
  endedAt?: TraceTime;
  failed?: boolean;
  cost?: NanoUsd;
  /** Of a tool of an MCP server: the server, as the request labels it, and the tool's own name. */
  mcp?: { readonly server: string; readonly tool: string };
}

/** What a plugin, a guardrail or a router did. */
export interface TracedStage {
  readonly spanId: string;
  readonly entry: PipelineEntry;
  readonly startedAt: TraceTime;
  readonly endedAt: TraceTime;
}

/** What the edge knows of a request, for its own span. */
export interface TracedExchange {
  readonly id: string;
  readonly method: string;
  /** The template of its path. */
  readonly route: string;
  readonly scheme: 'http' | 'https';
  readonly userAgent?: string;
  /** Whether its client has nothing kept of what is said. */
  readonly forbidsKeeping?: boolean;
}

/** How an exchange ended. */
export interface TracedEnd {
  readonly status: number;
  /** Why it was refused or failed: a word of the table of errors. */
  readonly errorType?: string;
  readonly limitSource?: string;
  /** The message of the error, which may repeat what was asked: never on a span. */
  readonly message?: string;
}

/** Notes what was said, for those who may know it. */
export interface ContentNotes {
  /** Nothing of it may leave: that lasts. */
  forbid(): void;
  /** It may, unless it is forbidden. Without a word of this nothing may. */
  allow(): void;
  /** Parts of the answer as the client gets them. */
  read(parts: AnswerParts): void;
}

/** Who asks, as far as a trace wants it known. */
export interface TracedCaller {
  readonly key: ApiKey;
  readonly account: Pick<Account, 'id' | 'defaultWorkspaceId' | 'contentLogging'>;
  readonly defaults?: RequestDefaults;
}

/** A request as it was read. */
export interface TracedCall {
  readonly request: AnyRequest;
  readonly caller: TracedCaller;
  readonly attribution: ClientAttribution;
}

/** What a trace asks of what began it. */
export interface TraceRules {
  /** Whether a trace is exported that its sender did not decide for. */
  readonly samples: (traceId: string) => boolean;
  /** What notes what is said in it; undefined where nothing may. */
  readonly content: (trace: RequestTrace) => ContentNotes | undefined;
  /** Called once, when nothing more is added. */
  readonly onOver: (trace: RequestTrace) => void;
}

/** Spans of one request: more are left out, and counted. */
const mostSpans = 1_000;

/**
 * What one request did and when: notes for spans, which are made of it once it is over (docs/spec/telemetry.md#traces). It is
 * written by adding a member here and there, and never read meanwhile.
 */
export class RequestTrace {
  readonly exchange: TracedExchange;
  readonly spanId = newSpanId();
  readonly startedAt: TraceTime;
  readonly turns: TracedTurn[] = [];
  readonly tools: TracedTool[] = [];
  readonly stages: TracedStage[] = [];
  /** Charged for turns and fees, inner ones too. */
  cost: NanoUsd = zeroUsd;
  /** Notes that found no room. */
  left = 0;
  key: ApiKey | undefined;
  /** Undefined for what is no request to a model. */
  caller: TracedCaller | undefined;
  /** The client's request as it was read; undefined for what is no request to a model. */
  request: AnyRequest | undefined;
  /** The workspace that it is of, and its account. */
  workspaceId: string | undefined;
  accountId: string | undefined;
  /** Who sent it, of the same. */
  attribution: ClientAttribution = {};
  /** What the client says of its trace. */
  field: TraceField | undefined;
  /** Undefined where what was said is not kept, which is most often. */
  content: ContentNotes | undefined;
  /** Whether an answer was looked for in the cache, and whether it was there. */
  cache: 'hit' | 'miss' | undefined;
  /** Why it was refused or failed. */
  failure: TracedEnd | undefined;
  endedAt: TraceTime | undefined;
  end: TracedEnd | undefined;
  /** Who still adds to it. */
  #writers = 1;
  readonly #origin = Date.now() - performance.now();
  readonly #rules: TraceRules;
  #place: TracePlace;

  constructor(exchange: TracedExchange, place: TracePlace, rules: TraceRules) {
    this.exchange = exchange;
    this.#place = place;
    this.#rules = rules;
    this.startedAt = this.now();
  }

  get place(): TracePlace {
    return this.#place;
  }

  /**
   * The client's request is read. Where its headers name no trace it joins the one that its field names; otherwise it only
   * refers to that. Must come before the first turn.
   */
  read({ request, caller, attribution }: TracedCall, field: TraceField | undefined): void {
    this.request = request;
    this.key = caller.key;
    this.caller = caller;
    this.accountId = caller.account.id;
    this.workspaceId = caller.key.workspaceId ?? caller.account.defaultWorkspaceId ?? undefined;
    this.attribution = attribution;
    this.field = field;
    this.content = this.#rules.content(this);
    const { traceId, parentSpanId } = field ?? {};
    if (traceId === undefined) return;
    const link = { traceId, spanId: parentSpanId ?? traceId.slice(16) };
    if (this.#place.parent !== undefined) this.#place = { ...this.#place, link };
    else {
      const parent = parentSpanId === undefined ? {} : { parent: { traceId, spanId: parentSpanId } };
      this.#place = { ...this.#place, traceId, ...parent, isSampled: this.#rules.samples(traceId) };
    }
  }

  /** Wall time at its beginning, and what has passed since by the monotonic clock: parts never end before they begin. */
  now(): TraceTime {
    return this.timeOf(performance.now());
  }

  /** The same for a moment of the monotonic clock. */
  timeOf(monotonic: number): TraceTime {
    return this.#origin + monotonic;
  }

  /** Notes that a turn begins. @param within The span of the tool that takes it; the request's own by default. */
  beginTurn(request: AnyRequest, within = this.spanId): TracedTurn | undefined {
    if (!this.#hasRoom(this.turns.length)) return undefined;
    const turn = {
      spanId: newSpanId(),
      parentSpanId: within,
      request,
      startedAt: this.now(),
      attempts: [],
    };
    this.turns.push(turn);
    return turn;
  }

  /** Notes the attempts of a turn. */
  attemptsOf(turn: TracedTurn): AttemptTracing {
    return {
      begin: (endpoint) => {
        const attempt: TracedAttempt = { spanId: newSpanId(), endpoint, startedAt: this.now() };
        turn.attempts.push(attempt);
        return attempt;
      },
      parentFor: ({ endpoint, spanId }) =>
        this.#place.isSampled && endpoint.provider.propagatesTrace === true
          ? `00-${this.#place.traceId}-${spanId}-01`
          : undefined,
      now: () => this.now(),
    };
  }

  /** Notes that a tool begins to run. @param within The span of the tool whose inner turn called it. */
  beginTool(
    called: Pick<TracedTool, 'type' | 'name' | 'callId'>,
    within = this.spanId,
  ): TracedTool | undefined {
    if (!this.#hasRoom(this.tools.length)) return undefined;
    const tool: TracedTool = {
      spanId: newSpanId(),
      parentSpanId: within,
      ...called,
      startedAt: this.now(),
    };
    this.tools.push(tool);
    return tool;
  }

  /** Notes what a stage did, between two moments of the monotonic clock. */
  addStage(entry: PipelineEntry, startedAt: number, endedAt: number): void {
    if (!this.#hasRoom(this.stages.length)) return;
    this.stages.push({
      spanId: newSpanId(),
      entry,
      startedAt: this.timeOf(startedAt),
      endedAt: this.timeOf(endedAt),
    });
  }

  addCost(amount: NanoUsd): void {
    this.cost = sumUsd(this.cost, amount);
  }

  /** It is added to beyond its exchange: by an answer that is made although its client has gone. */
  hold(): void {
    this.#writers += 1;
  }

  /** The other end of `hold`. */
  release(): void {
    this.#writers -= 1;
    if (this.#writers === 0) this.#rules.onOver(this);
  }

  /** The exchange is over. Called once. */
  close(end: TracedEnd): void {
    this.end = end;
    this.endedAt = this.now();
    this.release();
  }

  #hasRoom(taken: number): boolean {
    if (taken < mostSpans) return true;
    this.left += 1;
    return false;
  }
}

/** Begins notes of requests. */
export interface RequestTraces {
  /** Undefined where nothing would be exported of this one. */
  begin(exchange: TracedExchange, headers: TraceHeaders): RequestTrace | undefined;
}

/** The headers that say where a request stands; a list where one was sent several times. */
export interface TraceHeaders {
  readonly traceparent?: string | readonly string[] | undefined;
  readonly tracestate?: string | readonly string[] | undefined;
  /** Of the client; undefined where the connection is gone. */
  readonly address: () => string | undefined;
}

/** Random bytes for ids, drawn many at a time. */
const pool = Buffer.alloc(4096);
let taken = pool.length;

function randomHex(bytes: number): string {
  for (;;) {
    if (taken + bytes > pool.length) {
      randomFillSync(pool);
      taken = 0;
    }
    const hex = pool.toString('hex', taken, taken + bytes);
    taken += bytes;
    // All zeros means that there is none.
    if (/[^0]/.test(hex)) return hex;
  }
}

/** A new id of a span: 16 hex digits. */
export function newSpanId(): string {
  return randomHex(8);
}

/** A new id of a trace: 32 hex digits. */
export function newTraceId(): string {
  return randomHex(16);
}
