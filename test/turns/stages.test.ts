import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { HeadgateError } from '../../src/core/errors.ts';
import type { InferenceRequest } from '../../src/core/inference-request.ts';
import type { Stage } from '../../src/stages/stage.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway } from '../support/gateway.ts';
import { readStream } from '../support/read-stream.ts';

const promptOf = ({ canonical: { items } }: InferenceRequest): string =>
  items.map((item) => (item.kind === 'message' ? JSON.stringify(item.content) : '')).join();
const concerns = (word: string) => (request: InferenceRequest) => promptOf(request).includes(word);

/** Waits 20 ms, then replaces the prompt. */
const replacing: Stage = {
  place: 'file-parser',
  begin: (request: InferenceRequest) => {
    if (!concerns('replace')(request)) return undefined;
    const entry = { type: 'plugin', name: 'replacing', data: { waited: 20 } };
    let done: typeof entry | undefined;
    return {
      async prepare(given) {
        await sleep(20);
        done = entry;
        const content = [{ kind: 'text', text: 'Replaced.' }] as const;
        return {
          ...given,
          canonical: { ...given.canonical, items: [{ kind: 'message', role: 'user', content }] },
        };
      },
      get entry() {
        return done;
      },
    };
  },
};

const refusing: Stage = {
  place: 'input-scan',
  begin: (request: InferenceRequest) => {
    if (!concerns('forbidden')(request)) return undefined;
    return {
      prepare() {
        throw new HeadgateError('permission_denied', 'The prompt holds a forbidden word.');
      },
      entry: { type: 'guardrail', name: 'refusing', data: { action: 'blocked' }, guardrailId: 'gr_1' },
    };
  },
};

/** Writes the answer in capitals, and waits while it does. */
const shouting: Stage = {
  place: 'response-healing',
  begin: (request: InferenceRequest) => {
    if (!concerns('shout')(request)) return undefined;
    return {
      async rewrite(parts) {
        await sleep(1);
        return parts.map((part) =>
          part.kind === 'text' ? { ...part, text: part.text.toUpperCase() } : part,
        );
      },
      entry: { type: 'response_healing', name: 'shouting' },
    };
  },
};

const fitting: Stage = {
  place: 'context-compression',
  begin: (request: InferenceRequest) => {
    if (!concerns('fit')(request)) return undefined;
    return {
      fit: (canonical, { endpoint }) => ({ ...canonical, instructions: `You are ${endpoint.tag}.` }),
      entry: { type: 'context_compression', name: 'fitting' },
    };
  },
};

/** Waits as long as the request is wanted. */
const waiting: Stage = {
  place: 'moderation',
  begin: (request: InferenceRequest) => {
    if (!concerns('wait')(request)) return undefined;
    return {
      async prepare(given, { signal }) {
        await sleep(60_000, undefined, { signal });
        return given;
      },
    };
  },
};

async function start() {
  const upstream = await startFakeUpstream({ steps: chatStream('Good ', 'day.') });
  const provider = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const gateway = await startGateway({
    models: [modelOf('acme/atlas-4', [provider])],
    parts: { stages: [shouting, fitting, replacing, waiting, refusing] },
  });
  const ask = (input: string, stream = false) =>
    gateway.post({ model: 'acme/atlas-4', input, stream }, { 'x-service-metadata': 'enabled' });
  return {
    gateway,
    upstream,
    ask,
    /** What the provider was sent last. */
    lastMessages() {
      const request = upstream.requests.at(-1);
      assert.ok(request);
      return (request.body as { messages: { role: string; content: string }[] }).messages;
    },
    async [Symbol.asyncDispose]() {
      await gateway.stop();
      await upstream.close();
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of answers and errors, each checked by its test.
const read = async (response: Response): Promise<any> => response.json();

test('a stage waits, changes the request and reports it once', async () => {
  await using world = await start();
  const began = performance.now();
  const body = await read(await world.ask('replace me'));
  assert.ok(performance.now() - began >= 19);
  assert.deepEqual(world.lastMessages(), [{ role: 'user', content: 'Replaced.' }]);
  assert.deepEqual(body.service_metadata.pipeline, [
    { type: 'plugin', name: 'replacing', data: { waited: 20 } },
  ]);
  const { terminal } = await readStream(await world.ask('replace me', true));
  assert.equal(terminal.status, 'completed');
});

test('a stage refuses: a plain status, also for a stream, nothing sent and nothing charged', async () => {
  await using world = await start();
  for (const stream of [false, true]) {
    const response = await world.ask('replace a forbidden word', stream);
    assert.equal(response.status, 403);
    const { error, service_metadata: metadata } = await read(response);
    assert.equal(error.message, 'The prompt holds a forbidden word.');
    assert.deepEqual(
      [metadata.attempt, metadata.endpoints.available[0].selected, metadata.attempts, metadata.pipeline],
      [
        1,
        false,
        undefined,
        [{ type: 'guardrail', name: 'refusing', data: { action: 'blocked' }, guardrail_id: 'gr_1' }],
      ],
      'the scan comes before the parser, however they were registered',
    );
    const id = response.headers.get('x-generation-id') ?? '';
    assert.equal(await world.gateway.storage.generations.find(id), undefined);
  }
  assert.equal(world.upstream.requests.length, 0);
});

test('a stage rewrites the answer, streamed or not', async () => {
  await using world = await start();
  const body = await read(await world.ask('shout'));
  assert.equal(body.output[0].content[0].text, 'GOOD DAY.');
  const { events, terminal } = await readStream(await world.ask('shout', true));
  const deltas = events.filter(({ type }) => type === 'response.output_text.delta');
  assert.equal(deltas.map(({ delta }) => delta).join(''), 'GOOD DAY.');
  const metadata = terminal.service_metadata as { readonly pipeline: unknown };
  assert.deepEqual(metadata.pipeline, [{ type: 'response_healing', name: 'shouting' }]);
});

test('a stage fits the request to the endpoint; entries stand in the order of execution', async () => {
  await using world = await start();
  const body = await read(await world.ask('shout, replace and fit'));
  assert.equal(world.lastMessages()[0]?.content, 'You are north.');
  const names = body.service_metadata.pipeline.map(({ name }: { name: string }) => name);
  assert.deepEqual(names, ['replacing', 'fitting', 'shouting']);
});

test('a client that leaves ends the wait of a stage, and is no refusal', async () => {
  await using world = await start();
  const leave = new AbortController();
  const asked = fetch(`${world.gateway.url}/api/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'acme/atlas-4', input: 'wait' }),
    signal: leave.signal,
  });
  await sleep(100);
  leave.abort();
  await assert.rejects(asked);
  // Stopping waits for every request that runs.
  await world.gateway.stop();
  assert.ok(!world.gateway.log.some((line) => line.includes('request refused')));
});

test('a request that concerns no stage is answered as if there were none', async () => {
  await using world = await start();
  const body = await read(await world.ask('Hello'));
  assert.equal(body.output[0].content[0].text, 'Good day.');
  assert.equal(body.service_metadata.pipeline, undefined);
});
