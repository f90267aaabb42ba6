import type { AnswerParts, ExecutedPart, ProgressPart, SuspendedPart } from '../core/answer-part.ts';
import { qualifiedName } from '../core/client-tools.ts';
import { HeadgateError, publicMessage, toHeadgateError } from '../core/errors.ts';
import { createId } from '../core/ids.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import { type NanoUsd, zeroUsd } from '../core/money.ts';
import type { CallItem, CallOutputItem, ImagePart } from '../core/request.ts';
import type { ServiceType } from '../core/tool.ts';
import { isObject, type JsonObject, parseJson } from '../util/json.ts';
import type { OfferedTools } from './offered-tools.ts';
import type { LoopContext, Served, ToolOffer, ToolResult, ToolSpan } from './server-tool.ts';

/** What came of the calls of one turn. */
export interface RanCalls {
  /** Their results, in the order of the calls. */
  readonly items: readonly CallOutputItem[];
  /** Type ids of the tools that ran. */
  readonly types: readonly string[];
  /** Whether the client has to act on one of them. */
  readonly ends: boolean;
  /** Those that wait for functions of the client. */
  readonly suspended: readonly SuspendedPart[];
  /** What is shown of each that does not wait. */
  readonly fields: ReadonlyMap<CallItem | undefined, JsonObject>;
}

/** What calls are run for. */
export interface CallSetting {
  /** The request as it was when the turn began. */
  readonly request: InferenceRequest;
  /** What made the calls. */
  readonly served: Served;
  readonly context: LoopContext;
  /** How many run at the same time. */
  readonly atOnce: number;
}

/** One call while it runs. */
interface Running {
  readonly call: CallItem;
  readonly offer: ToolOffer;
  readonly id: string;
  /** The arguments; undefined when they are no JSON object. */
  readonly input: JsonObject | undefined;
  result: Ran | undefined;
}

/** What came of one call. */
interface Ran {
  readonly parts: readonly ExecutedPart[];
  readonly item: CallOutputItem;
  readonly fields: JsonObject;
  readonly ends: boolean;
  readonly suspended: SuspendedPart | undefined;
}

/**
 * Runs calls side by side (docs/spec/server-tools.md#execution). Yields each as it begins, what happens meanwhile, and each
 * result in the order of the calls. Never fails: what a tool throws is its result.
 */
export async function* runCalls(
  calls: readonly CallItem[],
  tools: Pick<OfferedTools, 'find'>,
  setting: CallSetting,
): AsyncGenerator<AnswerParts, RanCalls> {
  const running = calls.map((call) => begin(call, tools));
  const news = new News(setting.context.signal);
  const work = runAll(running, setting, news);
  const shown = new Set<string>();
  for (const one of running) {
    const { offer, id, input } = one;
    if (offer.announce !== undefined && input !== undefined) {
      shown.add(id);
      yield [
        { kind: 'executing', ...itemOf(one), fields: offer.announce(input, one.call.input, one.call.callId) },
      ];
    } else yield* until(one, shown, news);
  }
  for (const one of running) if (shown.has(one.id)) yield* until(one, shown, news);
  await work;
  return {
    items: running.flatMap(({ result }) => result?.item ?? []),
    types: running.map(({ offer }) => offer.type),
    ends: running.some(({ result }) => result?.ends === true),
    suspended: running.flatMap(({ result }) => result?.suspended ?? []),
    fields: new Map(
      running.flatMap(({ call, result }) =>
        result === undefined || result.suspended !== undefined ? [] : [[call, result.fields] as const],
      ),
    ),
  };
}

/** Yields what happens until a call has its result, and that. */
async function* until(one: Running, shown: ReadonlySet<string>, news: News): AsyncGenerator<AnswerParts> {
  for (;;) {
    const parts = news.take(shown);
    if (parts.length > 0) yield parts;
    if (one.result !== undefined) break;
    await news.next();
  }
  if (one.result.parts.length > 0) yield one.result.parts;
}

async function runAll(running: readonly Running[], setting: CallSetting, news: News): Promise<void> {
  const waiting = running.values();
  const worker = async () => {
    for (const one of waiting) {
      one.result = await runOne(one, setting, news);
      news.woken();
    }
  };
  await Promise.all(Array.from({ length: Math.min(setting.atOnce, running.length) }, worker));
}

function begin(call: CallItem, tools: Pick<OfferedTools, 'find'>): Running {
  const offer = tools.find(qualifiedName(call.name, call.namespace));
  return {
    call,
    offer,
    id: createId(offer.idPrefix ?? 'st_'),
    input: readInput(call.input),
    result: undefined,
  };
}

function readInput(text: string): JsonObject | undefined {
  try {
    const input = parseJson(text);
    return isObject(input) ? input : undefined;
  } catch {
    return undefined;
  }
}

function itemOf({ offer: { type, as }, id }: Running): Pick<ExecutedPart, 'type' | 'as' | 'id'> {
  return as === undefined ? { type, id } : { type, as, id };
}

async function runOne(
  one: Running,
  { request, served, context: given }: CallSetting,
  news: News,
): Promise<Ran> {
  const { call, offer, id, input } = one;
  const watch = new CallWatch(one, given);
  const { context } = watch;
  const progress = (event: string, fields: JsonObject) => news.add({ kind: 'progress', id, event, fields });
  try {
    context.signal.throwIfAborted();
    if (input === undefined)
      throw new HeadgateError('invalid_request', 'The arguments are not a JSON object.');
    const { callId, input: written } = call;
    const sent = offer.leaves === true ? await context.scanArguments(input) : input;
    const result = await offer.run(sent, {
      ...context,
      callId,
      written,
      request,
      model: served.model,
      progress,
    });
    watch.over(result.fields.error !== undefined, result.fields);
    return resultOf(one, result, () => context.readsPictures(served));
  } catch (thrown) {
    watch.over(true, offer.failed?.(input ?? {}) ?? {});
    const error = publicMessage(toHeadgateError(context.signal.aborted ? context.signal.reason : thrown));
    const fields = { ...offer.failed?.(input ?? {}), error };
    const result = resultOf(one, { output: failed(error), fields, status: failedStatus(offer) });
    return offer.hidesFailures === true ? { ...result, parts: [] } : result;
  }
}

/** Few kinds of items know of failure; others are completed and have an error. */
function failedStatus({ type, as }: ToolOffer): ToolResult['status'] {
  return type === 'service:advisor' || type === 'service:subagent' || as === 'mcp_call'
    ? 'failed'
    : 'completed';
}

function resultOf(one: Running, result: ToolResult, readsPictures: () => boolean = () => false): Ran {
  const { output, fields, status, ends = false, id = one.id, also = [], waits, isHidden = false } = result;
  const pictured = result.pictured !== undefined && readsPictures() ? result.pictured : undefined;
  const { callId, input } = one.call;
  const call = { id: callId, input, output };
  const item = { ...itemOf(one), id };
  const part: ExecutedPart = { kind: 'executed', ...item, fields, call, ...(status && { status }) };
  const others = also.map(({ as, idPrefix, fields }): ExecutedPart => {
    return { kind: 'executed', type: one.offer.type, as, id: createId(idPrefix), fields };
  });
  return {
    parts: isHidden ? [] : [part, ...others],
    item: outputOf(one.call, pictured?.output ?? output, pictured?.pictures),
    fields,
    ends: ends || waits !== undefined,
    suspended: waits && { kind: 'suspended', callId, ...waits },
  };
}

/** A result that says why there is none. */
export function failed(error: string): string {
  return JSON.stringify({ status: 'error', error });
}

/** The result of a call as the next turn holds it. */
export function outputOf(
  { callId, form }: CallItem,
  text: string,
  pictures: readonly ImagePart[] = [],
): CallOutputItem {
  return { kind: 'call_output', form, callId, output: [{ kind: 'text', text }, ...pictures] };
}

/** Watches one call of a tool: how long it takes, and what its fees and inner turns cost. */
class CallWatch {
  /** What the tool gets in place of the context it was made for. */
  readonly context: LoopContext;
  readonly #beganAt = performance.now();
  readonly #given: LoopContext;
  readonly #type: ServiceType;
  readonly #span: ToolSpan | undefined;
  #cost: NanoUsd = zeroUsd;

  constructor({ call, offer: { type } }: Pick<Running, 'call' | 'offer'>, given: LoopContext) {
    this.#given = given;
    this.#type = type;
    this.#span = given.trace?.begin({ type, name: call.name, callId: call.callId });
    const traceSpan = this.#span?.spanId;
    this.context = {
      ...given,
      charge: async (fee) => {
        await given.charge(fee);
        this.#add(fee.amount);
      },
      innerTurn: async (inner) => {
        const answer = await given.innerTurn(traceSpan === undefined ? inner : { ...inner, traceSpan });
        this.#add(answer.bill.charge);
        return answer;
      },
    };
  }

  /** The call is over. @param fields What is shown of it. */
  over(failed: boolean, fields: JsonObject): void {
    const time = performance.now() - this.#beganAt;
    const ran = { type: this.#type, failed, time, cost: this.#cost };
    this.#span?.end(ran, fields);
    this.#given.onTool?.(ran);
  }

  #add(amount: NanoUsd): void {
    this.#cost = (this.#cost + amount) as NanoUsd;
  }
}

/** How many parts may wait for the client before tools have to wait. */
const mostWaiting = 256;

/** What tools say while they run, until somebody reads it. */
class News {
  #parts: ProgressPart[] = [];
  #wake = Promise.withResolvers<void>();
  #taken = Promise.withResolvers<void>();
  readonly #signal: AbortSignal;

  /** @param signal Ends every wait, because nobody reads then. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Keeps what a tool says. Returns what to wait for before more is said, where much waits already. */
  add(part: ProgressPart): Promise<void> | undefined {
    this.#parts.push(part);
    this.woken();
    return this.#parts.length < mostWaiting ? undefined : this.#untilRead();
  }

  /** Something changed. */
  woken(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  next(): Promise<void> {
    return this.#wake.promise;
  }

  /** What was said of calls that are shown by now. */
  take(shown: ReadonlySet<string>): AnswerParts {
    const ready = this.#parts.filter(({ id }) => shown.has(id));
    if (ready.length === 0) return ready;
    this.#parts = this.#parts.filter(({ id }) => !shown.has(id));
    this.#taken.resolve();
    this.#taken = Promise.withResolvers();
    return ready;
  }

  async #untilRead(): Promise<void> {
    while (this.#parts.length >= mostWaiting && !this.#signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const onAbort = () => resolve();
      this.#signal.addEventListener('abort', onAbort, { once: true });
      await Promise.race([this.#taken.promise, promise]);
      this.#signal.removeEventListener('abort', onAbort);
    }
  }
}
