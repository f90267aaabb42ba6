import assert from 'node:assert/strict';
import type { Delta } from '../../src/core/delta.ts';
import { HeadgateError } from '../../src/core/errors.ts';
import type { Adapter } from '../../src/upstream/adapter.ts';
import { unreadable } from '../../src/upstream/lenient.ts';
import { EventStreamParser } from '../../src/upstream/wire/event-stream-parser.ts';
import { MessageParser } from '../../src/upstream/wire/message-parser.ts';
import { type CallChanges, createCall } from '../fake-upstream/upstream-call.ts';
import { assemble } from './assemble.ts';

/** Reads bytes to their end: they must be a legal answer, or a legal beginning and a clean error. */
export function readsCleanly(adapter: Adapter, chunks: readonly Buffer[], changes: CallChanges = {}): void {
  const deltas: Delta[] = [];
  const decoder = adapter.createDecoder(createCall(changes));
  const Parser = adapter.framing === undefined ? EventStreamParser : MessageParser;
  const parser = new Parser((event) => decoder.decode(event, deltas), 2 ** 25);
  try {
    for (const chunk of chunks) parser.push([chunk]);
    parser.end();
    decoder.close(deltas);
  } catch (thrown) {
    assert.notEqual(unreadable(thrown).code, 'server');
  }
  assembleCleanly(deltas);
}

/** What contradicts itself ends the answer with a clean error, after a legal beginning. */
function assembleCleanly(deltas: readonly Delta[]): void {
  try {
    assemble(deltas);
  } catch (thrown) {
    if (!(thrown instanceof HeadgateError) || deltas.length === 0) throw thrown;
    assembleCleanly(deltas.slice(0, -1));
  }
}

/** The JSON value with its member number `place`, counted through all depths, replaced; its type no longer holds then. */
export function withJunk<Value>(value: Value, place: number, junk: unknown): Value {
  let left = place;
  return JSON.parse(JSON.stringify(value), (key, member) => (key !== '' && left-- === 0 ? junk : member));
}
