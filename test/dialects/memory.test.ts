import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createUpstreamRegistry } from '../../src/upstream/registry.ts';
import { createTransport } from '../../src/upstream/wire/transport.ts';
import { Secret } from '../../src/util/secret.ts';
import { startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { createCall } from '../fake-upstream/upstream-call.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway } from '../support/gateway.ts';
import { amazonBedrock } from './amazon-bedrock.ts';
import type { DialectScript } from './dialect-script.ts';
import { openaiChat } from './openai-chat.ts';

const transport = createTransport();
const upstreams = createUpstreamRegistry({ transport });
after(() => transport.destroy());

const mebibyte = 1024 * 1024;
const events = { 'content-type': 'text/event-stream' };

/** A provider that sends the same piece again and again until it is left, or all of it was sent. */
async function endless(headers: Record<string, string>, piece: Buffer, most: number) {
  let sent = 0;
  function* pieces(): Generator<Buffer> {
    for (; sent < most; sent += piece.length) yield piece;
  }
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, headers);
    // Who has heard enough leaves.
    pipeline(Readable.from(pieces(), { highWaterMark: 1 }), response).catch(() => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get sent() {
      return sent;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function providerAt(url: string, { adapter, credential }: DialectScript) {
  return providerOf({ slug: 'north', adapter, baseUrl: url, apiKey: new Secret(credential) });
}

/** The most memory that is held at once while something runs, above what was held before. */
async function growthDuring(run: () => Promise<unknown>): Promise<number> {
  const used = () => {
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = used();
  let most = 0;
  const sampler = setInterval(() => {
    most = Math.max(most, used() - before);
  }, 2);
  try {
    await run();
  } finally {
    clearInterval(sampler);
  }
  return most;
}

async function read(url: string, dialect: DialectScript): Promise<unknown> {
  const upstream = upstreams.get(dialect.adapter);
  assert.ok(upstream);
  try {
    for await (const _ of upstream.stream(createCall({ provider: providerAt(url, dialect) })));
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Room for the largest event in its forms: bytes, text and what the collector has not yet taken. */
const room = 256 * mebibyte;

test('a line without end is given up, and no more than an event is held', async () => {
  await using fake = await endless(events, Buffer.alloc(mebibyte, 'a'), 1024 * mebibyte);
  const growth = await growthDuring(async () =>
    assert.ok((await read(fake.url, openaiChat)) instanceof Error),
  );
  assert.ok(growth < room, `${Math.round(growth / mebibyte)} MiB`);
  assert.ok(fake.sent < 128 * mebibyte, `${fake.sent / mebibyte} MiB were taken`);
});

test('a binary message longer than any is given up at its beginning', async () => {
  const piece = Buffer.alloc(mebibyte, 0x7f);
  const headers = { 'content-type': 'application/vnd.amazon.eventstream' };
  await using fake = await endless(headers, piece, 1024 * mebibyte);
  const growth = await growthDuring(async () =>
    assert.ok((await read(fake.url, amazonBedrock)) instanceof Error),
  );
  assert.ok(growth < 64 * mebibyte, `${Math.round(growth / mebibyte)} MiB`);
});

test('JSON of more values than any answer holds is a failure before it is parsed', async () => {
  const crowd = `"extra":[${'{},'.repeat(2_000_000)}{}]`;
  const event = `data: {"choices":[{"delta":{"content":"word"},"finish_reason":"stop"}],${crowd}}\n\n`;
  const whole = `{"choices":[{"message":{"content":"word"},"finish_reason":"stop"}],${crowd}}`;
  const json = { 'content-type': 'application/json' };
  for (const script of [{ steps: [event] }, { headers: json, steps: [whole] }]) {
    await using fake = await startFakeUpstream(script);
    const growth = await growthDuring(async () => {
      const failure = await read(fake.url, openaiChat);
      assert.match(String(failure), /The provider sent more than 4000000 values at once/);
    });
    assert.ok(growth < 128 * mebibyte, `${Math.round(growth / mebibyte)} MiB`);
  }
});

test('events that say nothing are read without being kept', async () => {
  const piece = Buffer.from(': still thinking\n\ndata: {"choices":[]}\n\n'.repeat(8_000));
  await using fake = await endless(events, piece, 100 * mebibyte);
  const growth = await growthDuring(() => read(fake.url, openaiChat));
  assert.ok(fake.sent >= 100 * mebibyte);
  assert.ok(growth < 128 * mebibyte, `${Math.round(growth / mebibyte)} MiB`);
});

test('a reader that waits makes the provider wait', async () => {
  const piece = Buffer.from('data: {"choices":[{"delta":{"content":"word "}}]}\n\n'.repeat(2_000));
  await using fake = await endless(events, piece, 1024 * mebibyte);
  const upstream = upstreams.get('openai-chat');
  assert.ok(upstream);
  let taken = 0;
  for await (const _ of upstream.stream(createCall({ provider: providerAt(fake.url, openaiChat) }))) {
    await sleep(300);
    taken += 1;
    if (taken === 3) break;
  }
  assert.ok(fake.sent < 32 * mebibyte, `${fake.sent / mebibyte} MiB were taken`);
});

test('an answer without end is ended, whatever it says', async () => {
  const text = 'x'.repeat(100_000);
  const piece = Buffer.from(`data: {"choices":[{"delta":{"content":"${text}"}}]}\n\n`.repeat(10));
  await using fake = await endless(events, piece, 1024 * mebibyte);
  const gateway = await startGateway({
    models: [modelOf('acme/atlas-4', [providerAt(fake.url, openaiChat)])],
  });
  try {
    const response = await gateway.post({ model: 'acme/atlas-4', input: 'x' });
    const body = (await response.json()) as { status: string; incomplete_details: { reason: string } };
    assert.deepEqual([body.status, body.incomplete_details.reason], ['incomplete', 'max_output_tokens']);
    assert.ok(fake.sent < 64 * mebibyte, `${fake.sent / mebibyte} MiB were taken`);
  } finally {
    await gateway.stop();
  }
});
