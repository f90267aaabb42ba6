import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCall } from '../../../test/fake-upstream/upstream-call.ts';
import { decodeStream, joinPieces } from '../../../test/support/adapter-harness.ts';
import { readRecordings } from '../../../test/support/recordings.ts';
import type { Delta } from '../../core/delta.ts';
import { openaiResponsesAdapter as adapter } from './openai-responses-adapter.ts';

const { streams, refusals } = readRecordings('llamacpp/openai-responses');

for (const { name, stream } of streams) {
  test(`${name}: the pieces add up to the complete text at the end, however the bytes arrive`, () => {
    const deltas = joinPieces(decodeStream(adapter, stream));
    assert.deepEqual(joinPieces(decodeStream(adapter, stream, {}, [1, 7, 64])), deltas);
    assert.deepEqual(deltas.map(said).filter(Boolean), reportedAtTheEnd(stream.toString()));
    assert.equal(deltas.at(0)?.kind, 'start');
    assert.equal(deltas.at(-1)?.kind, 'finish');
    const usage = deltas.find((delta) => delta.kind === 'usage')?.usage;
    assert.ok((usage?.uncachedInput ?? 0) > 0 && (usage?.output ?? 0) > 0);
    const calls = deltas.some((delta) => delta.kind === 'call');
    assert.equal(
      deltas.at(-1),
      deltas.find((delta) => delta.kind === 'finish'),
    );
    assert.ok(deltas.some((delta) => delta.kind === 'finish' && (delta.reason === 'tool_calls') === calls));
  });
}

for (const { name, status, body } of refusals) {
  test(`${name}: the refusal is read`, () => {
    const { message, code } = adapter.readFailure(status, body, createCall().endpoint.provider);
    assert.ok(message);
    assert.equal(code, name === 'context-too-long' && status === 400 ? 'upstream_context_length' : undefined);
  });
}

function said(delta: Delta): string {
  return delta.kind === 'call' ? delta.name : 'text' in delta ? delta.text : '';
}

interface Item {
  readonly name?: string;
  readonly arguments?: string;
  readonly content?: readonly { readonly text: string }[];
}

function reportedAtTheEnd(stream: string): string[] {
  const last = stream.split('data: ').at(-1) ?? '';
  const output: readonly Item[] = JSON.parse(last).response.output;
  return output.flatMap((item) => [
    ...(item.name ? [item.name] : []),
    ...(item.content ?? []).map((part) => part.text),
    ...(item.arguments ? [item.arguments] : []),
  ]);
}
