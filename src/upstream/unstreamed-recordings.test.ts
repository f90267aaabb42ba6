import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { listen } from '../../test/fake-upstream/collect.ts';
import { type Script, startFakeUpstream } from '../../test/fake-upstream/fake-upstream.ts';
import { createCall } from '../../test/fake-upstream/upstream-call.ts';
import { mergeDeltas } from '../../test/support/adapter-harness.ts';
import { readRecordings } from '../../test/support/recordings.ts';
import type { Delta } from '../core/delta.ts';
import { createUpstreamRegistry } from './registry.ts';
import { createTransport } from './wire/transport.ts';

const transport = createTransport();
const upstreams = createUpstreamRegistry({ transport });
after(() => transport.destroy());

for (const dialect of ['openai-chat', 'openai-responses', 'anthropic-messages']) {
  const { bodies, streams } = readRecordings(`llamacpp/${dialect}`);
  for (const { name, body, headers } of bodies) {
    const said = streams.find((stream) => stream.name === name.replace('-unstreamed', ''));

    test(`${dialect}, ${name}: a body gives over a real connection the same deltas as the stream`, async () => {
      const whole = await heard(dialect, false, { headers, steps: [body] });
      const streamed = await heard(dialect, true, { steps: [said?.stream ?? ''] });
      assert.ok(whole.some((delta) => 'text' in delta));
      // This one was cut short, so only what both have in common can be compared.
      if (name.startsWith('logprobs')) assert.ok(isBeginning(logprobsOf(whole), logprobsOf(streamed)));
      else assert.deepEqual(whole, streamed);
    });

    test(`${dialect}, ${name}: bytes may arrive in any pieces`, async () => {
      const steps = Array.from({ length: 9 }, (_, index) =>
        body.subarray((index * body.length) / 9, ((index + 1) * body.length) / 9),
      );
      const expected = await heard(dialect, false, { headers, steps: [body] });
      assert.deepEqual(await heard(dialect, false, { headers, steps }), expected);
    });
  }
}

/** The upstream's deltas for an answer, without what differs between answers. */
async function heard(adapter: string, streamed: boolean, script: Script): Promise<object[]> {
  await using fake = await startFakeUpstream(script);
  const upstream = upstreams.get(adapter);
  assert.ok(upstream);
  const call = createCall({ streamed, provider: { adapter, baseUrl: fake.url } });
  const { deltas, batches, thrown } = await listen(upstream, call);
  assert.equal(thrown, undefined);
  if (!streamed) assert.equal(batches, 1);
  assert.deepEqual(
    fake.requests.map(({ body }) => (body as { stream: unknown }).stream),
    [streamed],
  );
  return mergeDeltas(JSON.parse(JSON.stringify(deltas))).map(comparable);
}

function comparable(delta: Delta): object {
  if (delta.kind === 'start') return { ...delta, upstreamId: typeof delta.upstreamId };
  if (delta.kind === 'call') return { ...delta, callId: typeof delta.callId };
  // One dialect gives arguments as text in its streams and as a value in whole answers.
  if (delta.kind === 'arguments') return { ...delta, text: JSON.parse(delta.text) };
  return delta;
}

function logprobsOf(deltas: readonly object[]): readonly unknown[] {
  return deltas.flatMap((delta) => ('logprobs' in delta ? (delta.logprobs as unknown[]) : []));
}

function isBeginning(some: readonly unknown[], all: readonly unknown[]): boolean {
  assert.deepEqual(some, all.slice(0, some.length));
  return some.length > 0;
}
