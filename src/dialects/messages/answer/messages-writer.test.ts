import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkMessageStream } from '../../../../test/messages/message-checker.ts';
import type { AnswerPart } from '../../../core/answer-part.ts';
import type { Delta } from '../../../core/delta.ts';
import { chatOf } from '../../../core/request.ts';
import { createCarrierSeals } from '../../../secrets/carrier-seals.ts';
import { wholeText } from '../../public-dialect.ts';
import { messagesDialect } from '../messages-dialect.ts';

const carriers = createCarrierSeals(Buffer.alloc(32, 1))('account');

const context = {
  headers: {},
  aliases: [],
  generationId: 'gen-1',
  carriers,
  hashEndUser: (raw: string) => raw,
};

function writerFor(stream: boolean) {
  const body = { model: 'x/one', messages: [{ role: 'user', content: 'Hi' }], stream };
  const read = messagesDialect.read(body, context);
  return { writer: read.createWriter(), request: read.request };
}

/** Carriers are sealed and ids made anew each time. */
function comparable(blocks: unknown): unknown {
  return JSON.parse(
    JSON.stringify(blocks, (key, value) =>
      /^(hg1[.]|srvtoolu_hs)/.test(String(value)) && key !== 'content' ? 'made anew' : value,
    ),
  );
}

const words = fc.constantFrom('tide ', 'señor ', '🚢', 'a"b\\', '\n');
const block = fc.integer({ min: 0, max: 3 });

/** What providers may send for one block, in order: thoughts, texts, citations, calls, searches. */
const blockDeltas: fc.Arbitrary<(at: number) => readonly Delta[]> = fc.oneof(
  fc
    .array(words, { minLength: 1, maxLength: 4 })
    .map((texts) => (at: number) => texts.map((text): Delta => ({ kind: 'text', block: at, text }))),
  fc.tuple(fc.array(words, { maxLength: 3 }), fc.boolean()).map(([texts, own]) => (at: number) => [
    ...texts.map(
      (text, part): Delta => ({ kind: own ? 'thinking' : 'summary', block: at, text, part: part % 2 }),
    ),
    own
      ? ({ kind: 'seal', block: at, format: 'anthropic-claude-v1', signature: 'c2ln' } as const)
      : ({ kind: 'seal', block: at, format: 'openai-responses-v1', encrypted: 'blob' } as const),
    { kind: 'end', block: at } as const,
  ]),
  fc.array(words, { maxLength: 3 }).map((texts) => (at: number) => {
    const text = JSON.stringify({ said: texts });
    return [
      { kind: 'call', block: at, form: 'function', name: 'tide', callId: `call_${at}` },
      ...[...text].map((piece): Delta => ({ kind: 'arguments', block: at, text: piece })),
      { kind: 'end', block: at },
    ] as readonly Delta[];
  }),
  fc.constant((at: number) => [
    { kind: 'text', block: at, text: 'cited' } as const,
    {
      kind: 'annotation',
      block: at,
      annotation: { type: 'url_citation', url: 'https://a.test', title: 'A', start_index: 0, end_index: 5 },
    } as const,
  ]),
  fc.constant((at: number) => [
    { kind: 'hosted', block: at, type: 'web_search_call' } as const,
    {
      kind: 'result',
      block: at,
      fields: { action: { type: 'search', query: 'tide', sources: [] } },
    } as const,
    { kind: 'end', block: at } as const,
  ]),
);

/** Several blocks whose deltas are dealt together in a random order that keeps each block's own. */
const interleaved = fc
  .array(fc.tuple(blockDeltas, fc.infiniteStream(block)), { minLength: 1, maxLength: 5 })
  .map((made) => {
    const queues = made.map(([deltas], at) => [...deltas(at)]);
    const picks = made.map(([, stream]) => stream);
    const dealt: Delta[] = [];
    for (let turn = 0; queues.some((queue) => queue.length > 0); turn += 1) {
      const open = queues.filter((queue) => queue.length > 0);
      const pick = Number(picks[turn % picks.length]?.next().value ?? 0);
      const delta = open[pick % open.length]?.shift();
      if (delta !== undefined) dealt.push(delta);
    }
    return dealt;
  });

test('whatever a provider interleaves, the stream obeys the grammar and adds up to the unstreamed body', () => {
  fc.assert(
    fc.property(interleaved, fc.integer({ min: 1, max: 7 }), (deltas, size) => {
      const parts: AnswerPart[] = [
        { kind: 'opened', model: 'x/one', provider: 'North', at: 0 },
        ...deltas,
        { kind: 'finish', reason: 'stop' },
        { kind: 'ended', finish: 'stop', at: 1 },
      ];
      const streamed = writerFor(true).writer;
      let text = '';
      for (let at = 0; at < parts.length; at += size)
        text += wholeText(streamed.write(parts.slice(at, at + size)));
      const whole = writerFor(false).writer;
      assert.equal(whole.write(parts), '');
      const body = JSON.parse(wholeText(whole.body()));
      const { message } = checkMessageStream(text);
      assert.deepEqual(comparable(message?.content), comparable(body.content));
      assert.equal(message?.stop_reason, body.stop_reason);
    }),
    { numRuns: 300 },
  );
});

/** One block after the other. */
const sequential = fc
  .array(blockDeltas, { minLength: 1, maxLength: 5 })
  .map((made) => made.flatMap((deltas, at) => deltas(at)));

test('every block of an answer is accepted as input, and carriers become the reasoning they were', () => {
  fc.assert(
    fc.property(sequential, (deltas) => {
      const { writer } = writerFor(false);
      writer.write([
        { kind: 'opened', model: 'x/one', provider: 'North', at: 0 },
        ...deltas,
        { kind: 'ended', finish: 'stop', at: 1 },
      ]);
      const { content } = JSON.parse(wholeText(writer.body()));
      const body = {
        model: 'x/one',
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content },
        ],
      };
      const { request } = messagesDialect.read(body, context);
      const sealed = (chatOf(request.canonical)?.items ?? []).filter((item) => item.kind === 'reasoning');
      const foreign = deltas.filter((delta) => delta.kind === 'seal' && delta.encrypted === 'blob');
      assert.equal(sealed.filter(({ encrypted }) => encrypted === 'blob').length, foreign.length);
      assert.ok(sealed.every(({ format }) => format !== undefined));
    }),
    { numRuns: 200 },
  );
});
