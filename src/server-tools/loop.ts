import type {
  AnswerBill,
  AnswerPart,
  AnswerParts,
  OpenedPart,
  ToolCallCount,
  TurnEnd,
} from '../core/answer-part.ts';
import { qualifiedName } from '../core/client-tools.ts';
import type { Delta, FinishReason } from '../core/delta.ts';
import { HeadgateError } from '../core/errors.ts';
import { createId } from '../core/ids.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import type { CallItem, CanonicalChat, Item, ServiceItem } from '../core/request.ts';
import { mapBatches } from '../util/map-batches.ts';
import { BlockItems } from './block-items.ts';
import type { LoopBudget } from './loop-budget.ts';
import type { OfferedTools } from './offered-tools.ts';
import { failed, outputOf, type RanCalls, runCalls } from './run-calls.ts';
import type { LoopContext, SuspendedCall } from './server-tool.ts';

/** Takes a turn of the model that answers. `isContinued` says whether one came before it. */
export type TakeTurn = (
  request: InferenceRequest,
  isContinued: boolean,
) => AsyncGenerator<AnswerParts, TurnEnd | undefined>;

/** How the loop ended. `end` is that of the last turn. */
export interface LoopEnd {
  readonly end: TurnEnd;
  readonly toolCalls: ToolCallCount | undefined;
  /** Type ids of the tools that ran, in order, each once. */
  readonly tools: readonly string[];
}

/** What the loop works with. */
export interface LoopMeans {
  readonly takeTurn: TakeTurn;
  readonly context: LoopContext;
  readonly budget: LoopBudget;
  /** Calls that run at the same time. */
  readonly parallel: number;
  /** Called with the type ids of the tools that ran between two turns. */
  readonly onRan?: (types: readonly string[]) => void;
  /** Whether the caller may spend nothing more; then one last turn may call nothing. */
  readonly isSpent?: () => boolean;
  /** Checks that the caller may be served at all, before anything is done for calls of earlier requests. */
  readonly admit: () => Promise<void>;
  /** What the request used and cost so far. */
  readonly bill: () => AnswerBill | undefined;
}

/**
 * Runs a request whose model may call tools of the gateway (docs/spec/server-tools.md#the-loop): takes a turn, runs the calls,
 * and takes the next turn with their results, until the model answers, the client has to act, or the budget is used up: then
 * one last turn may call nothing. Yields the parts of all turns as one answer; returns undefined when the client has gone.
 */
export async function* runToolLoop(
  tools: OfferedTools,
  means: LoopMeans,
): AsyncGenerator<AnswerParts, LoopEnd | undefined> {
  const loop = new Loop(tools, means);
  if (tools.calls > 0) means.budget.take(tools.calls);
  let request = tools.request;
  let isContinued = false;
  if (tools.suspended.length > 0 || tools.needPreparing) await means.admit();
  if (tools.needPreparing) await tools.prepare(means.context);
  if (tools.suspended.length > 0) {
    const resumed = yield* loop.resume();
    if ('end' in resumed) return resumed;
    request = resumed;
    isContinued = true;
  }
  let step: Step = { next: tools.offerIn(request), isFinal: false, firstBlock: 0 };
  for (; ; isContinued = true) {
    const taken = yield* loop.take(step, isContinued);
    if (taken === undefined || 'end' in taken) return taken;
    step = taken;
  }
}

/** A turn to take. */
interface Step {
  readonly next: InferenceRequest;
  /** Whether it may call nothing. */
  readonly isFinal: boolean;
  /** Whether a last turn before it said nothing. */
  readonly isRepeated?: boolean;
  /** Where the numbers of its blocks begin. */
  readonly firstBlock: number;
}

/** A request while its turns are taken. */
class Loop {
  readonly #tools: OfferedTools;
  readonly #means: LoopMeans;
  readonly #used = new Set<string>();
  /** What was done before the first turn, until it is shown. */
  #shown: AnswerParts;

  constructor(tools: OfferedTools, means: LoopMeans) {
    this.#tools = tools;
    this.#means = means;
    this.#shown = tools.shown;
  }

  /** Shows behind the beginning of the first turn what was done before it. */
  #withShown(parts: AnswerParts | undefined): AnswerParts | undefined {
    if (this.#shown.length === 0 || parts === undefined) return parts;
    const place = parts.findIndex(({ kind }) => kind === 'opened') + 1;
    if (place === 0) return parts;
    const shown = this.#shown;
    this.#shown = [];
    return [...parts.slice(0, place), ...shown, ...parts.slice(place)];
  }

  /** Goes on with calls of earlier requests. Returns the request with their results, or how the answer ended with them. */
  async *resume(): AsyncGenerator<AnswerParts, InferenceRequest | LoopEnd> {
    const { context, parallel, onRan } = this.#means;
    const { suspended, request } = this.#tools;
    const resumed = yield* resumeCalls(suspended, request, { context, atOnce: parallel });
    this.#shown = [...this.#shown, ...resumed.unshown];
    for (const type of resumed.types) this.#used.add(type);
    onRan?.(resumed.types);
    // The next turn finds out how an aborted request ends.
    if (resumed.suspended.length === 0 || context.signal.aborted) return resumed.request;
    yield [...this.#shown, ...resumed.suspended];
    return this.#close({ finish: 'tool_calls' });
  }

  /** Takes a turn and runs its calls. Returns the turn after it, or how the loop ended. */
  async *take(step: Step, isContinued: boolean): AsyncGenerator<AnswerParts, Step | LoopEnd | undefined> {
    const { next, isFinal } = step;
    const reader = new TurnReader((name) => this.#tools.has(name), step.firstBlock, isFinal);
    const turn = this.#means.takeTurn(next, isContinued);
    const end = yield* mapBatches(turn, (parts) => this.#withShown(reader.read(parts)));
    if (end === undefined) return undefined;
    const { finish } = end;
    // A turn that a limit cut off may have cut off its calls too.
    if (finish === undefined || finish === 'length' || finish === 'content_filter') return this.#close(end);
    if (!isFinal && reader.calls('server').length > 0)
      return yield* this.#run(reader, step, { ...end, finish });
    if (isFinal && reader.isSilent && step.isRepeated !== true) {
      return { ...step, isRepeated: true, firstBlock: reader.nextBlock };
    }
    return this.#close(isFinal ? { ...end, finish: 'stop' } : end);
  }

  async *#run(
    reader: TurnReader,
    { next }: Step,
    end: TurnEnd & { readonly finish: FinishReason },
  ): AsyncGenerator<AnswerParts, Step | LoopEnd> {
    const { budget, context, parallel, bill, isSpent } = this.#means;
    const calls = reader.calls('server');
    const allowed = budget.take(calls.length);
    const ran: RanCalls = yield* runCalls(calls.slice(0, allowed), this.#tools, {
      request: next,
      served: end.served ?? { model: next.models[0] ?? '' },
      context,
      atOnce: parallel,
    });
    for (const type of ran.types) this.#used.add(type);
    this.#means.onRan?.(ran.types);
    const waiting = [...ran.suspended, ...reader.takeWaiting()];
    if (waiting.length > 0) yield waiting;
    if (ran.ends || reader.calls('all').length > calls.length)
      return this.#close({ ...end, finish: 'tool_calls' });
    const types = calls.map(({ name, namespace }) => this.#tools.find(qualifiedName(name, namespace)).type);
    // What tools cost counts as well, so conditions are looked at behind them.
    budget.look({ finish: end.finish, native: reader.native, calls, types, bill: bill() });
    const surplus = calls.slice(allowed).map((call) => outputOf(call, failed('No calls are left.')));
    const isFinal = budget.isOver || isSpent?.() === true;
    const items = [...reader.items, ...ran.items, ...surplus];
    const continued = this.#tools.showFound(continueWith(next, items, end.served, isFinal));
    return { next: continued, isFinal, firstBlock: reader.nextBlock };
  }

  #close(end: TurnEnd): LoopEnd {
    return { end, toolCalls: this.#means.budget.toolCalls, tools: [...this.#used] };
  }
}

const finalQuestion =
  'No tools can be called any more. Answer from what is known by now, in plain text and without the syntax of calls.';

/**
 * The next turn's request: on the same endpoint where that can serve, with what was said and done so far
 * (docs/spec/server-tools.md#the-loop). The last one may call nothing.
 */
function continueWith(
  request: InferenceRequest,
  items: readonly Item[],
  served: TurnEnd['served'],
  isFinal: boolean,
): InferenceRequest {
  const { canonical, provider } = request;
  // A choice that forces a call binds the first turn alone; one that limits what may be called binds all.
  const { toolChoice } = canonical;
  const next: CanonicalChat = {
    ...canonical,
    items: [...canonical.items, ...items],
    toolChoice: toolChoice.kind === 'allowed' ? { ...toolChoice, mode: 'auto' } : { kind: 'auto' },
  };
  const order = served && [served.tag, ...(provider.order ?? []).filter((tag) => tag !== served.tag)];
  return {
    ...request,
    ...(served !== undefined && keptModel(request, served.model)),
    provider: { ...provider, order },
    canonical: isFinal ? withoutCalls(next) : next,
  };
}

/** The one model that goes on, still as the choice of the router that chose it. */
function keptModel(
  { models, routed }: InferenceRequest,
  model: string,
): Pick<InferenceRequest, 'models' | 'routed'> {
  for (const slug of models) {
    const chosen = routed?.get(slug);
    if (chosen === undefined || chosen instanceof HeadgateError || !chosen.models.includes(model)) continue;
    return { models: [slug], routed: new Map([[slug, { ...chosen, models: [model] }]]) };
  }
  return { models: [model] };
}

function withoutCalls(request: CanonicalChat): CanonicalChat {
  const question = {
    kind: 'message',
    role: 'user',
    content: [{ kind: 'text', text: finalQuestion }],
  } as const;
  return { ...request, items: [...request.items, question], toolChoice: { kind: 'none' } };
}

/** What came of calls that went on. */
interface ResumedCalls extends Pick<RanCalls, 'suspended' | 'types'> {
  /** The request with the results of those that are over. */
  readonly request: InferenceRequest;
  /** What could not be shown yet, because no model has answered. */
  readonly unshown: AnswerParts;
}

/**
 * Goes on with calls of earlier requests, before the model is asked (docs/spec/server-tools.md#functions-of-the-client). The
 * answer begins as soon as a model answers one of them. Never fails: what goes wrong is a result.
 */
async function* resumeCalls(
  suspended: readonly SuspendedCall[],
  request: InferenceRequest,
  { context, atOnce }: { readonly context: LoopContext; readonly atOnce: number },
): AsyncGenerator<AnswerParts, ResumedCalls> {
  const leading = new LeadingTurns(context);
  // Calls of different turns may have one id, so each gets a name of its own.
  const calls = suspended.map(({ call }, at) => ({ ...call, name: String(at) }));
  const find = (name: string) => {
    const found = suspended[Number(name)];
    if (found === undefined) throw new HeadgateError('server');
    return found.rest;
  };
  const served = { model: request.models[0] ?? '' };
  const running = runCalls(calls, { find }, { request, served, context: leading.context, atOnce });
  let unshown: readonly AnswerPart[] = [];
  let isOpened = false;
  for (let next = running.next(); ; ) {
    const step = await (isOpened ? next : Promise.race([leading.opened, next]));
    if ('kind' in step) {
      isOpened = true;
      yield [step, ...unshown];
      unshown = [];
      continue;
    }
    if (step.done === true) {
      const { fields, suspended: waiting, types } = step.value;
      const settled = new Map(suspended.map(({ item }, at) => [item as Item, fields.get(calls[at])]));
      return { suspended: waiting, types, request: settle(request, settled), unshown };
    }
    if (isOpened) yield step.value;
    else unshown = [...unshown, ...step.value];
    next = running.next();
  }
}

/** Turns that are taken before the first one of the request. The first of them has the request's own id. */
class LeadingTurns {
  readonly context: LoopContext;
  /** When the first one is answered. */
  readonly opened: Promise<OpenedPart>;
  #isTaken = false;

  constructor(given: LoopContext) {
    const { promise, resolve } = Promise.withResolvers<OpenedPart>();
    this.opened = promise;
    this.context = {
      ...given,
      innerTurn: (inner) => {
        const isFirst = !this.#isTaken;
        this.#isTaken = true;
        return given.innerTurn({ ...inner, leading: { isFirst, onOpened: resolve } });
      },
    };
  }
}

/** A request in which calls have their results. */
function settle(
  request: InferenceRequest,
  results: ReadonlyMap<Item, ServiceItem['fields'] | undefined>,
): InferenceRequest {
  const items = request.canonical.items.map((item): Item => {
    const fields = results.get(item);
    return item.kind === 'service' && fields !== undefined ? { ...item, fields, rounds: undefined } : item;
  });
  return { ...request, canonical: { ...request.canonical, items } };
}

/**
 * Reads one turn of the tool loop: shows the client what it shall see, and keeps what the next turn must hold. Calls of the
 * gateway's tools are withheld. Client calls that come after one wait for `takeWaiting`, because they follow its result.
 */
class TurnReader {
  readonly #isServerTool: (name: string) => boolean;
  readonly #withheld = new Set<number>();
  readonly #waitingBlocks = new Set<number>();
  readonly #waiting: Delta[] = [];
  readonly #items = new BlockItems();
  /** Blocks of earlier turns have lower numbers. */
  readonly #firstBlock: number;
  #lastBlock: number;
  /** In the last turn nothing may be called, so calls of any kind are left out. */
  readonly #isFinal: boolean;
  #native: string | undefined;
  #hasText = false;

  constructor(isServerTool: (name: string) => boolean, firstBlock: number, isFinal = false) {
    this.#isServerTool = isServerTool;
    this.#isFinal = isFinal;
    this.#firstBlock = firstBlock;
    this.#lastBlock = firstBlock - 1;
  }

  /** Where the blocks of the next turn begin. */
  get nextBlock(): number {
    return this.#lastBlock + 1;
  }

  /** The provider's own reason for the turn's end. */
  get native(): string | undefined {
    return this.#native;
  }

  /** Whether the model said nothing to the client. */
  get isSilent(): boolean {
    return !this.#hasText;
  }

  /** What the model wrote, for the next turn. */
  get items(): readonly Item[] {
    return this.#items.all;
  }

  /** The calls of tools, in order; those of the gateway's tools alone, or all. */
  calls(whose: 'server' | 'all'): readonly CallItem[] {
    const calls = this.items.filter((item) => item.kind === 'call');
    return whose === 'all' ? calls : calls.filter((call) => this.#isServer(call));
  }

  /** Reads a batch and returns what of it the client sees now; undefined for nothing. */
  read(parts: AnswerParts): AnswerParts | undefined {
    const shown = parts.flatMap((part) => this.#show(part) ?? []);
    return shown.length === 0 ? undefined : shown;
  }

  /** The deltas that waited. */
  takeWaiting(): readonly Delta[] {
    return this.#waiting.splice(0);
  }

  #isServer({ name, namespace, form }: Pick<CallItem, 'name' | 'namespace' | 'form'>): boolean {
    return form === 'function' && this.#isServerTool(qualifiedName(name, namespace));
  }

  #show(part: AnswerPart): AnswerPart | undefined {
    switch (part.kind) {
      case 'sent':
      case 'opened':
      case 'settled':
        return part;
      case 'reported':
      case 'left_out':
      case 'files':
      case 'executing':
      case 'progress':
      case 'executed':
      case 'suspended':
      case 'ended':
      case 'start':
      case 'usage':
      case 'embedding':
      case 'tier':
        return undefined;
      case 'audio':
        return part;
      case 'finish':
        // The loop itself reports how the answer ends.
        this.#native = part.native;
        return undefined;
      default:
        return this.#showBlock(part);
    }
  }

  #showBlock(given: Extract<Delta, { block: number }>): Delta | undefined {
    const first = this.#firstBlock;
    const delta = this.#identify(first === 0 ? given : { ...given, block: given.block + first });
    const { block } = delta;
    this.#lastBlock = Math.max(this.#lastBlock, block);
    this.#items.add(delta);
    if ((delta.kind === 'text' || delta.kind === 'refusal') && delta.text !== '') this.#hasText = true;
    if (delta.kind === 'call') {
      if (this.#isFinal || this.#isServer(delta)) this.#withheld.add(block);
      else if (this.#withheld.size > 0) this.#waitingBlocks.add(block);
    }
    if (this.#withheld.has(block)) return undefined;
    if (!this.#waitingBlocks.has(block)) return delta;
    this.#waiting.push(delta);
    return undefined;
  }

  /** A call with an id, which its result must name. */
  #identify<Some extends Delta>(delta: Some): Some {
    if (delta.kind !== 'call' || delta.callId !== undefined) return delta;
    return { ...delta, callId: createId('call_') };
  }
}
