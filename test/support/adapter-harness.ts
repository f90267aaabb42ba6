import type { Delta } from '../../src/core/delta.ts';
import type { Adapter } from '../../src/upstream/adapter.ts';
import { unreadable } from '../../src/upstream/lenient.ts';
import { EventStreamParser } from '../../src/upstream/wire/event-stream-parser.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { type CallChanges, createCall } from '../fake-upstream/upstream-call.ts';

/** The body an adapter sends for a call, as its bytes say it: without undefined members. */
export function sentBody(adapter: Adapter, changes: CallChanges): JsonObject {
  return JSON.parse(JSON.stringify(adapter.encode(createCall(changes)).body));
}

/**
 * The deltas of a whole recorded answer, read as the wire reads it.
 * @param sizes How many bytes arrive together, in turn.
 */
export function decodeStream(
  adapter: Adapter,
  stream: string | Buffer,
  changes: CallChanges = {},
  sizes: readonly number[] = [],
): Delta[] {
  const deltas: Delta[] = [];
  const decoder = adapter.createDecoder(createCall(changes));
  const parser = new EventStreamParser((event) => decoder.decode(event, deltas), 2 ** 25);
  const bytes = Buffer.from(stream);
  try {
    for (let at = 0, turn = 0; at < bytes.length; turn++) {
      const size = sizes[turn % sizes.length] ?? bytes.length;
      parser.push([bytes.subarray(at, at + size)]);
      at += size;
    }
    parser.end();
    decoder.close(deltas);
  } catch (thrown) {
    throw unreadable(thrown);
  }
  return JSON.parse(JSON.stringify(deltas));
}

/** The deltas of an answer that came as one body. */
export function decodeWhole(adapter: Adapter, answer: JsonObject, changes: CallChanges = {}): Delta[] {
  const deltas: Delta[] = [];
  adapter.createDecoder(createCall({ ...changes, streamed: false })).decodeWhole(answer, deltas);
  return JSON.parse(JSON.stringify(deltas));
}

/** Events as they stand in a stream: the type as event name, the whole as data. */
export function eventStream(events: readonly ({ readonly type: string } & JsonObject)[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

/** The deltas with neighbouring pieces of the same text joined, and their log probabilities. */
export function joinPieces(deltas: readonly Delta[]): Delta[] {
  const joined: Delta[] = [];
  for (const delta of deltas) {
    const last = joined.at(-1);
    if (last === undefined || !('text' in delta) || !('text' in last) || !sameText(last, delta)) {
      joined.push(delta);
    } else
      joined[joined.length - 1] = { ...last, text: last.text + delta.text, ...joinLogprobs(last, delta) };
  }
  return joined;
}

/** What an answer says, whatever pieces it came in and however its blocks were interleaved. */
export function mergeDeltas(deltas: readonly Delta[]): Delta[] {
  const blocks = deltas.filter((delta) => 'block' in delta).sort((left, right) => left.block - right.block);
  const others = deltas.filter((delta) => !('block' in delta));
  return joinPieces([...blocks, ...others]);
}

type TextDelta = Extract<Delta, { text: string }>;

function sameText(left: TextDelta, right: TextDelta): boolean {
  const part = (delta: TextDelta) => ('part' in delta ? delta.part : 0);
  return left.kind === right.kind && left.block === right.block && part(left) === part(right);
}

function joinLogprobs(left: TextDelta, right: TextDelta): object {
  if (left.kind !== 'text' || right.kind !== 'text') return {};
  const logprobs = [...(left.logprobs ?? []), ...(right.logprobs ?? [])];
  return logprobs.length > 0 ? { logprobs } : {};
}
