import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { listen } from '../../../test/fake-upstream/collect.ts';
import { startFakeUpstream } from '../../../test/fake-upstream/fake-upstream.ts';
import { createCall } from '../../../test/fake-upstream/upstream-call.ts';
import { decodeStream, joinPieces } from '../../../test/support/adapter-harness.ts';
import { readRecordings } from '../../../test/support/recordings.ts';
import type { Delta } from '../../core/delta.ts';
import { createHttpUpstream } from '../wire/http-upstream.ts';
import { createTransport } from '../wire/transport.ts';
import { openaiChatAdapter as adapter } from './openai-chat-adapter.ts';

const { streams, refusals } = readRecordings('llamacpp/openai-chat');
const transport = createTransport();
const upstream = createHttpUpstream(adapter, transport);
after(() => transport.destroy());

/**
 * Decoding a whole stream once for each of its bytes takes a while, so it is done where bytes matter most.
 */
const cutEverywhere = new Set(['unicode', 'tool-call-unicode']);

for (const { name, stream } of streams) {
  test(`${name}: all that was said comes through`, () => {
    const deltas = decodeStream(adapter, stream);
    assert.deepEqual(wordsOf(deltas), wordsInside(stream.toString()));
    assert.equal(deltas.at(0)?.kind, 'start');
    assert.equal(deltas.at(-1)?.kind, 'finish');
    const calls = deltas.some((delta) => delta.kind === 'call');
    assert.equal(calls, name.startsWith('tool-call'));
    const [, reason] = /"finish_reason":"(\w+)"/.exec(stream.toString()) ?? [];
    assert.ok(deltas.some((delta) => delta.kind === 'finish' && delta.reason === reason));
    const usage = deltas.find((delta) => delta.kind === 'usage')?.usage;
    assert.equal(usage === undefined, name === 'text-without-usage');
  });

  test(`${name}: the same however the bytes are cut`, () => {
    const deltas = decodeStream(adapter, stream);
    for (const sizes of [[1], [1, 7, 64], [1000]]) {
      assert.deepEqual(decodeStream(adapter, stream, {}, sizes), deltas);
    }
    if (!cutEverywhere.has(name)) return;
    for (let place = 1; place < stream.length; place++) {
      const same = JSON.stringify(decodeStream(adapter, stream, {}, [place, stream.length]));
      assert.equal(same, JSON.stringify(deltas), `cut at byte ${place}`);
    }
  });

  test(`${name}: the same over a real connection`, async () => {
    const pieces = Array.from({ length: 12 }, (_, index) => {
      const edge = (count: number) => Math.floor((stream.length * count) / 12);
      return stream.subarray(edge(index), edge(index + 1));
    });
    await using fake = await startFakeUpstream({ steps: pieces });
    const { deltas, thrown } = await listen(upstream, createCall({ provider: { baseUrl: fake.url } }));
    assert.equal(thrown, undefined);
    assert.deepEqual(JSON.parse(JSON.stringify(deltas)), decodeStream(adapter, stream));
  });
}

for (const { name, status, body } of refusals) {
  test(`${name}: the refusal is read`, () => {
    const { message, code } = adapter.readFailure(status, body, createCall().endpoint.provider);
    assert.ok(message);
    assert.equal(code, name === 'context-too-long' ? 'upstream_context_length' : undefined);
  });
}

interface Words {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly string[];
}

function wordsOf(deltas: readonly Delta[]): Words {
  const joined = joinPieces(deltas);
  const told = (kind: string) =>
    joined.map((delta) => (delta.kind === kind && 'text' in delta ? delta.text : '')).join('');
  const calls = joined.flatMap((delta) => {
    if (delta.kind === 'call') return [delta.name];
    return delta.kind === 'arguments' ? [delta.text] : [];
  });
  return { text: told('text'), thinking: told('thinking'), calls };
}

interface RecordedDelta {
  readonly content?: string | null;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly {
    readonly index: number;
    readonly function: { name?: string; arguments: string };
  }[];
}

/** The same words, read from the recording in the plainest way. */
function wordsInside(stream: string): Words {
  const deltas: RecordedDelta[] = stream
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .flatMap((event) => JSON.parse(event.slice('data: '.length)).choices)
    .map((choice) => choice.delta);
  const calls: string[] = [];
  for (const { index, function: call } of deltas.flatMap((delta) => delta.tool_calls ?? [])) {
    calls[2 * index] ??= call.name ?? '';
    calls[2 * index + 1] = (calls[2 * index + 1] ?? '') + call.arguments;
  }
  return {
    text: deltas.map((delta) => delta.content ?? '').join(''),
    thinking: deltas.map((delta) => delta.reasoning_content ?? '').join(''),
    calls,
  };
}
