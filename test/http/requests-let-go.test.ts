import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { parseUsd } from '../../src/core/money.ts';
import { Assembler } from '../../src/dialects/gateway/assembly/assembler.ts';
import { CallSettlement } from '../../src/settlement/call-settlement.ts';
import { Spending } from '../../src/settlement/spending.ts';
import { ledgerEntry } from '../conformance/fixtures.ts';
import { chatStream, dataEvent } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

/** One way for requests to end. */
interface Way {
  readonly script: Script;
  /** Sends a request and returns when the client has seen its end. */
  readonly send: (stage: Stage, at: number) => Promise<unknown>;
}

interface Stage {
  readonly gateway: TestGateway;
  readonly upstream: FakeUpstream;
  readonly model: string;
}

/** Many more than anything may keep for good reasons, such as the last ones of connections. */
const ofEachWay = 60;
const mostKept = 20;

/** What requests have one of, whatever becomes of them. */
const parts = [CallSettlement, Spending, Assembler, IncomingMessage, ServerResponse] as const;

/** How many are left once all that nobody holds is collected. */
const countAlive = () => parts.map((part) => queryObjects(part, { format: 'count' }));

const answer: Script = { steps: chatStream('Good ', 'day.') };
const [begun = '', ...rest] = chatStream('Good ', 'day.');
const hello = ({ model }: Stage) => ({ model, input: 'Hello' });
const streamed = ({ model }: Stage) => ({ model, input: 'Hello', stream: true });
const read = async (response: Promise<Response>) => (await response).text();

const ways: Readonly<Record<string, Way>> = {
  answered: { script: answer, send: (stage) => read(stage.gateway.post(hello(stage))) },
  streamed: { script: answer, send: (stage) => read(stage.gateway.post(streamed(stage))) },
  'made once by its key': {
    script: answer,
    send: (stage, at) => {
      const key = { 'idempotency-key': `${stage.model} ${at >> 1}` };
      return read(stage.gateway.post(streamed(stage), key));
    },
  },
  'refused by the provider': {
    script: { status: 400, whole: '{"error":{"message":"no"}}' },
    send: (stage) => read(stage.gateway.post(hello(stage))),
  },
  'failed in its middle': {
    script: { steps: [begun, dataEvent({ error: { message: 'gone', code: 500 } })] },
    send: (stage) => read(stage.gateway.post(streamed(stage))),
  },
  'cut off by the provider': {
    script: { steps: [begun], ending: 'cut' },
    send: (stage) => read(stage.gateway.post(streamed(stage))),
  },
  'left by its client': { script: { steps: [begun, 30, ...rest] }, send: leave },
  'of an unknown model': {
    script: answer,
    send: ({ gateway }) => read(gateway.post({ model: 'acme/none', input: 'Hello' })),
  },
  'not JSON': { script: answer, send: ({ gateway }) => read(gateway.post('{')) },
  'of an unknown key': {
    script: answer,
    send: (stage) => read(stage.gateway.post(hello(stage), { authorization: 'Bearer sk-hg-v1-none' })),
  },
};

/** Asks for a stream and goes away when the provider has begun with it. */
async function leave(stage: Stage): Promise<void> {
  const { gateway, upstream } = stage;
  const abort = new AbortController();
  const asked = upstream.requests.length;
  const answered = fetch(`${gateway.url}/api/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(streamed(stage)),
    signal: abort.signal,
  }).then((response) => response.text());
  while (upstream.requests.length === asked) await sleep(1);
  abort.abort();
  await assert.rejects(answered);
}

test('requests that are over keep nothing alive, however they ended', async (t) => {
  const stages = await Promise.all(
    Object.values(ways).map(async (way, at) => {
      const upstream = await startFakeUpstream(way.script);
      const provider = providerOf({ slug: `p${at}`, baseUrl: `${upstream.url}/v1` });
      return { way, upstream, model: modelOf(`acme/way-${at}`, [provider]) };
    }),
  );
  const gateway = await startGateway({ models: stages.map(({ model }) => model), billingMode: 'prepaid' });
  t.after(async () => {
    await gateway.stop();
    for (const { upstream } of stages) await upstream.close();
  });
  await gateway.storage.ledger.append(ledgerEntry(gateway.account.id, { amount: parseUsd(10) }));
  const sendAll = async (from: number, count: number) => {
    for (const { way, upstream, model } of stages) {
      const stage: Stage = { gateway, upstream, model: model.id };
      for (let at = from; at < from + count; at += 1) await way.send(stage, at);
    }
    // What their clients left is booked when the provider has ended.
    await sleep(100);
  };
  await sendAll(0, 1);
  const before = countAlive();
  await sendAll(1, ofEachWay);
  const more = countAlive().map((count, at) => count - (before[at] ?? 0));
  const kept = parts.flatMap(({ name }, at) => ((more[at] ?? 0) > mostKept ? [`${more[at]} ${name}`] : []));
  // Which way it is shows when the others are left out.
  assert.deepEqual(kept, []);
});
