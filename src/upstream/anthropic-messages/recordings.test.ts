import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCall } from '../../../test/fake-upstream/upstream-call.ts';
import { decodeStream, joinPieces } from '../../../test/support/adapter-harness.ts';
import { readRecordings } from '../../../test/support/recordings.ts';
import { anthropicMessagesAdapter as adapter } from './anthropic-messages-adapter.ts';

const { streams, refusals } = readRecordings('llamacpp/anthropic-messages');

for (const { name, stream } of streams) {
  test(`${name}: everything the server said is passed on once, however the bytes arrive`, () => {
    const deltas = joinPieces(decodeStream(adapter, stream));
    assert.deepEqual(joinPieces(decodeStream(adapter, stream, {}, [1, 7, 64])), deltas);
    for (const [kind, member] of [
      ['text', 'text'],
      ['thinking', 'thinking'],
      ['arguments', 'partial_json'],
    ] as const) {
      const said = deltas.map((delta) => (delta.kind === kind && 'text' in delta ? delta.text : '')).join('');
      assert.equal(said, pieces(stream.toString(), member).join(''));
    }
    assert.equal(deltas.at(0)?.kind, 'start');
    const usage = deltas.findLast((delta) => delta.kind === 'usage')?.usage;
    assert.ok((usage?.uncachedInput ?? 0) > 0 && (usage?.output ?? 0) > 0);
    assert.deepEqual(
      deltas.at(-1),
      deltas.find((delta) => delta.kind === 'finish'),
    );
  });
}

for (const { name, status, body } of refusals) {
  test(`${name}: the refusal is read`, () => {
    const { message, code } = adapter.readFailure(status, body, createCall().endpoint.provider);
    assert.ok(message);
    assert.equal(code, name === 'context-too-long' ? 'upstream_context_length' : undefined);
  });
}

/** What the stream's own events contain, read without the adapter. */
function pieces(stream: string, member: string): string[] {
  return stream
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)).delta?.[member] ?? '');
}
