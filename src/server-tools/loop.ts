import type { AnswerParts, ExecutedPart, ToolCallCount, TurnEnd } from '../core/answer-part.ts';
import { HeadgateError, publicMessage, toHeadgateError } from '../core/errors.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import type { CallItem, CallOutputItem, CanonicalRequest, Item } from '../core/request.ts';
import { isObject, parseJson } from '../util/json.ts';
import { mapBatches } from '../util/map-batches.ts';
import type { OfferedTools } from './offered-tools.ts';
import type { ToolContext } from './server-tool.ts';
import { TurnReader } from './turn-reader.ts';

/** How many calls a request may make of tools of the gateway, over all its turns. */
const mostSteps = 30;

const finalQuestion = 'No tools can be called any more. Answer from what is known by now, in plain text.';

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

/**
 * Runs a request whose model may call tools of the gateway: takes a turn, runs the calls, and takes the
 * next turn with their results, until the model answers, calls a tool of the client, or the calls are used up: then one last
 * turn may call nothing. Yields the parts of all turns as one answer; returns undefined when the client has gone.
 */
export async function* runToolLoop(
  request: InferenceRequest,
  tools: OfferedTools,
  takeTurn: TakeTurn,
  context: ToolContext,
): AsyncGenerator<AnswerParts, LoopEnd | undefined> {
  const steps = Math.min(request.canonical.maxToolCalls ?? mostSteps, mostSteps);
  const used = new Set<string>();
  let requested = 0;
  let executed = 0;
  let next = tools.offerIn(request);
  for (let firstBlock = 0, turns = 0; ; turns += 1) {
    const reader = new TurnReader((name) => tools.has(name), firstBlock);
    const end = yield* mapBatches(takeTurn(next, turns > 0), (parts) => reader.read(parts));
    if (end === undefined) return undefined;
    const calls = reader.calls('server');
    requested += calls.length;
    const isFinal = executed >= steps;
    const done: LoopEnd = {
      end,
      toolCalls: requested === 0 ? undefined : { requested, executed },
      tools: [...used],
    };
    // A turn that a limit cut off may have cut off its calls too.
    if (end.finish === undefined || end.finish === 'length' || end.finish === 'content_filter') return done;
    if (calls.length === 0) return done;
    if (isFinal) return { ...done, end: { ...end, finish: 'stop' } };
    const runnable = calls.slice(0, steps - executed);
    const results = await runAll(runnable, tools, context);
    executed += runnable.length;
    for (const { part } of results) used.add(part.type);
    const waiting = reader.takeWaiting();
    yield [...results.map(({ part }) => part), ...waiting];
    if (reader.calls('all').length > calls.length) {
      const toolCalls = { requested, executed };
      return { end: { ...end, finish: 'tool_calls' }, toolCalls, tools: [...used] };
    }
    const surplus = calls.slice(runnable.length).map((call) => outputOf(call, failed('No calls are left.')));
    const items = [...reader.items, ...results.map(({ item }) => item), ...surplus];
    next = continueWith(next, items, end.served, executed >= steps);
    firstBlock = reader.nextBlock;
  }
}

/** The next turn's request: on the same endpoint where that can serve, with what was said and done so far. */
function continueWith(
  request: InferenceRequest,
  items: readonly Item[],
  served: TurnEnd['served'],
  isFinal: boolean,
): InferenceRequest {
  const { canonical, provider } = request;
  // A choice that forces a call binds the first turn alone.
  const next: CanonicalRequest = {
    ...canonical,
    items: [...canonical.items, ...items],
    toolChoice: { kind: 'auto' },
  };
  const order = served && [served.tag, ...(provider.order ?? []).filter((tag) => tag !== served.tag)];
  return {
    ...request,
    models: served === undefined ? request.models : [served.model],
    provider: { ...provider, order },
    canonical: isFinal ? withoutCalls(next) : next,
  };
}

function withoutCalls(request: CanonicalRequest): CanonicalRequest {
  const question = {
    kind: 'message',
    role: 'user',
    content: [{ kind: 'text', text: finalQuestion }],
  } as const;
  return { ...request, items: [...request.items, question], toolChoice: { kind: 'none' } };
}

interface CallResult {
  readonly part: ExecutedPart;
  readonly item: CallOutputItem;
}

/** How many calls of one turn run at once. */
const mostAtOnce = 8;

/** Runs calls side by side; their results stand in the order of the calls. Never fails. */
async function runAll(
  calls: readonly CallItem[],
  tools: OfferedTools,
  context: ToolContext,
): Promise<readonly CallResult[]> {
  const results: CallResult[] = [];
  for (let at = 0; at < calls.length; at += mostAtOnce) {
    const some = calls.slice(at, at + mostAtOnce);
    results.push(...(await Promise.all(some.map((call) => runOne(call, tools, context)))));
  }
  return results;
}

async function runOne(call: CallItem, tools: OfferedTools, context: ToolContext): Promise<CallResult> {
  const tool = tools.find(call.name);
  try {
    const input = parseJson(call.input);
    if (!isObject(input)) throw new HeadgateError('invalid_request', 'The arguments are not a JSON object.');
    const { output, fields } = await tool.run(input, context);
    return { part: { kind: 'executed', type: tool.type, fields }, item: outputOf(call, output) };
  } catch (thrown) {
    const message = publicMessage(toHeadgateError(thrown));
    const part = { kind: 'executed', type: tool.type, fields: { error: message } } as const;
    return { part, item: outputOf(call, failed(message)) };
  }
}

function failed(error: string): string {
  return JSON.stringify({ status: 'error', error });
}

function outputOf({ callId, form }: CallItem, text: string): CallOutputItem {
  return { kind: 'call_output', form, callId, output: [{ kind: 'text', text }] };
}
