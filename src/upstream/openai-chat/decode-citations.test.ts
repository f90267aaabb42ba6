import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatChunk, dataEvent } from '../../../test/fake-upstream/chat-stream.ts';
import { decodeStream, decodeWhole } from '../../../test/support/adapter-harness.ts';
import type { Annotation, Delta } from '../../core/delta.ts';
import { openaiChatAdapter as adapter } from './openai-chat-adapter.ts';

const [first, second] = ['https://example.com/1', 'https://example.com/2'];

function annotationsOf(deltas: readonly Delta[]): Annotation[] {
  return deltas.flatMap((delta) => (delta.kind === 'annotation' ? [delta.annotation] : []));
}

function cite(url: string, title: string, start_index: number, end_index: number) {
  return { type: 'url_citation', url, title, start_index, end_index };
}

test('a list of sources is cited where the text refers to it, in UTF-16 units, else at its start', () => {
  const lists = {
    citations: [first, second],
    search_results: [{ url: first, title: 'One' }, { url: second }],
  };
  const stream = [
    chatChunk({ content: '😀 so[' }, null, lists),
    chatChunk({ content: '1] and [1].' }, null, lists),
    chatChunk({}, 'stop', lists),
  ].join('');
  const expected = [cite(first, 'One', 5, 8), cite(first, 'One', 13, 16), cite(second, '', 0, 0)];
  assert.deepEqual(annotationsOf(decodeStream(adapter, stream)), expected);
  const message = { content: '😀 so[1] and [1].' };
  const whole = decodeWhole(adapter, { choices: [{ message, finish_reason: 'stop' }], ...lists });
  assert.deepEqual(annotationsOf(whole), expected);
});

const lists: readonly (readonly [string, object])[] = [
  ['addresses', { citations: [first] }],
  ['links', { web_search: [{ link: first, title: '' }] }],
  ['a list inside an object', { search_info: { search_results: [{ url: first }] } }],
];

for (const [name, rest] of lists) {
  test(`sources as ${name}`, () => {
    const deltas = decodeStream(adapter, chatChunk({ content: 'a[1]' }, 'stop', rest));
    assert.deepEqual(annotationsOf(deltas), [cite(first, '', 1, 4)]);
  });
}

test('sources are emitted before a call closes the text, and none without text', () => {
  const call = { tool_calls: [{ index: 0, id: 'a', function: { name: 'look', arguments: '{}' } }] };
  const rest = { citations: [first] };
  const deltas = decodeStream(
    adapter,
    [chatChunk({ content: 'a[1]' }, null, rest), chatChunk(call, 'stop')].join(''),
  );
  assert.deepEqual(
    deltas.map(({ kind }) => kind),
    ['start', 'text', 'annotation', 'call', 'arguments', 'finish'],
  );
  assert.deepEqual(annotationsOf(decodeStream(adapter, chatChunk(call, 'stop', rest))), []);
});

test('annotations repeated by later chunks are emitted once, also in their flat form', () => {
  const flat = { type: 'url_citation', url: first, title: 'One', start_index: 0, end_index: 1 };
  const nested = {
    type: 'url_citation',
    url_citation: { url: first, title: 'One', start_index: 0, end_index: 1 },
  };
  const chunks = [flat, nested, flat].map((annotation) =>
    chatChunk({ content: 'a', annotations: [annotation] }),
  );
  const deltas = decodeStream(
    adapter,
    [...chunks, dataEvent({ choices: [{ finish_reason: 'stop' }] })].join(''),
  );
  assert.deepEqual(annotationsOf(deltas), [cite(first, 'One', 0, 1)]);
});
