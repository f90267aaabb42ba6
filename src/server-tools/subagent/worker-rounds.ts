import { HeadgateError } from '../../core/errors.ts';
import { createId } from '../../core/ids.ts';
import type { CallItem, ContentPart, Item, WorkerRound } from '../../core/request.ts';

/** Characters of what a worker wrote that a client may have to send back. */
const longestTranscript = 4_000_000;

/** What a worker wrote in one round, and the calls of functions that the client has to answer. */
export interface OpenRound {
  readonly calls: readonly CallItem[];
  readonly items: readonly Item[];
}

/**
 * Finds the calls that a worker waits for. They get ids of their own, because those of models repeat between conversations.
 * @throws HeadgateError when the client could not send back what the worker wrote.
 */
export function openRound(written: readonly Item[]): OpenRound {
  const open = openCalls(written);
  const calls: CallItem[] = [];
  const items = written.map((item): Item => {
    if (item.kind !== 'call' || !open.has(item)) return item;
    const call = { ...item, callId: createId('call_') };
    calls.push(call);
    return call;
  });
  if (calls.length > 0 && (!items.every(isWritable) || JSON.stringify(items).length > longestTranscript)) {
    throw new HeadgateError('invalid_request', 'The worker cannot wait for functions: it wrote too much.');
  }
  return { calls, items };
}

/**
 * The conversation of a worker until the client has answered.
 * @throws HeadgateError when the client did not send everything back: the model reads why.
 */
export function replayRounds(rounds: readonly WorkerRound[]): readonly Item[] {
  return rounds.flatMap(({ items, outputs }) => {
    const open = openCalls(items);
    const given = new Map(outputs.map((output) => [output.callId, output]));
    const found = [...open].flatMap(({ callId }) => given.get(callId) ?? []);
    if (open.size > 0 && found.length === open.size && given.size === open.size) {
      return [...items, ...found];
    }
    const problem = items.length === 0 ? 'subagent_items is missing' : 'its calls and their outputs differ';
    throw new HeadgateError('invalid_request', `The worker cannot go on: ${problem}.`);
  });
}

/** How many calls of its own tools a worker has made. */
export function callsIn(rounds: readonly WorkerRound[]): number {
  const results = rounds.flatMap(({ items }) => items.filter(({ kind }) => kind === 'call_output'));
  return results.length;
}

/** The calls without a result, in order. Some models give calls of different turns one id. */
function openCalls(items: readonly Item[]): ReadonlySet<CallItem> {
  const open = new Set<CallItem>();
  const byId = new Map<string, CallItem>();
  for (const item of items) {
    if (item.kind === 'call') {
      open.add(item);
      byId.set(item.callId, item);
    } else if (item.kind === 'call_output') {
      const answered = byId.get(item.callId);
      if (answered !== undefined) open.delete(answered);
    }
  }
  return open;
}

/** Whether items of the client's protocol can hold it. */
function isWritable(item: Item): boolean {
  if (item.kind === 'message') return item.content.every(isText);
  if (item.kind === 'call_output') return item.output.every(isText);
  return item.kind === 'reasoning' || item.kind === 'hosted' || item.kind === 'call';
}

function isText({ kind }: ContentPart): boolean {
  return kind === 'text' || kind === 'refusal';
}
