import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseUsd } from '../../src/core/money.ts';
import { Secret } from '../../src/util/secret.ts';
import { ledgerEntry } from '../conformance/fixtures.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import type { Script } from '../fake-upstream/fake-upstream.ts';
import { eventually } from '../support/eventually.ts';
import { configOf } from '../support/gateway.ts';
import { type LocalSite, startSite } from './local-site.ts';
import { calls, type Read, startToolWorld } from './tool-world.ts';

const answer: Script = { steps: chatStream('Done.') };
/** 20 tokens at 3 USD per million, and 5 at 15. */
const turnCost = 135_000n;
const time = calls(['service_datetime', {}]);
const endless = { stop_server_tools_when: [{ type: 'step_count_is', step_count: 200 }] };
const datetime = [{ type: 'service:datetime' }];

for (const stream of [false, true]) {
  test(`a loop on a nearly empty account ends before it costs a turn more${stream ? ', streamed' : ''}`, async () => {
    await using world = await startToolWorld({ 'acme/atlas-4': [time] }, { billingMode: 'prepaid' });
    const { account, storage } = world.gateway;
    await storage.ledger.append(ledgerEntry(account.id, { amount: parseUsd('0.01') }));
    const body = { tools: datetime, max_output_tokens: 10, ...endless };
    const response = await world.gateway.post({ model: 'acme/atlas-4', input: 'Go.', stream, ...body });
    const text = await response.text();
    assert.match(text, /payment_required/);
    const turns = world.upstream('acme/atlas-4').requests.length;
    assert.ok(turns > 5 && turns < 80, `${turns} turns`);
    const { balance, spentTotal } = await storage.ledger.balance(account.id);
    assert.equal(spentTotal, BigInt(turns) * turnCost, 'each turn is charged once');
    assert.ok(-balance <= turnCost, `overspent by ${-balance}`);
  });
}

test('a loop of 200 turns is charged turn by turn', async () => {
  const turns = Array.from({ length: 200 }, () => time);
  await using world = await startToolWorld({ 'acme/atlas-4': [...turns, answer] });
  const body = await world.ask({ tools: datetime, ...endless });
  assert.equal(body.status, 'completed');
  assert.equal(body.usage.server_tool_use_details.tool_calls_executed, 200);
  const { spentTotal } = await world.gateway.storage.ledger.balance(world.gateway.account.id);
  // The last turn says one word to nine tokens.
  assert.equal(spentTotal, 200n * turnCost + 42_000n);
});

/** A gateway whose only search engine is a site. */
function startSearching(site: LocalSite) {
  const { tools } = configOf({ models: [] });
  const engine = { engine: 'exa', baseUrl: site.url, apiKey: new Secret('engine-key') } as const;
  const config = { tools: { ...tools, webSearch: { engines: [engine] } } };
  const searches = calls(['service_web_search', { query: 'tides' }]);
  return startToolWorld({ 'acme/atlas-4': [searches, answer] }, { config });
}

const megabyte = Buffer.alloc(1024 * 1024, 'x');
const broken: Readonly<Record<string, Parameters<typeof startSite>[0]>> = {
  dies: (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"results":[');
    setImmediate(() => response.destroy());
  },
  'answers garbage': (_request, response) => response.end('<html>'),
  'answers 100 MB': (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    let left = 100;
    const more = () => {
      while (left > 0 && !response.destroyed && response.write(megabyte)) left -= 1;
      if (left <= 0) response.end();
    };
    response.on('drain', more).on('error', () => undefined);
    more();
  },
};
for (const [what, behave] of Object.entries(broken)) {
  test(`a backend that ${what} costs nothing, and the answer goes on`, async () => {
    await using site = await startSite(behave);
    await using world = await startSearching(site);
    const body = await world.ask({ tools: [{ type: 'service:web_search' }] });
    assert.equal(body.status, 'completed');
    assert.ok(body.output.find(({ type }: Read) => type === 'service:web_search').error);
    const { spentTotal } = await world.gateway.storage.ledger.balance(world.gateway.account.id);
    assert.equal(spentTotal, turnCost + 42_000n);
  });
}

test('a client that leaves while a backend hangs is charged for the turn that was over', async () => {
  const arrived = Promise.withResolvers<void>();
  await using site = await startSite(() => arrived.resolve());
  await using world = await startSearching(site);
  const { gateway } = world;
  const leaving = new AbortController();
  const asked = fetch(`${gateway.url}/api/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}` },
    body: JSON.stringify({ model: 'acme/atlas-4', input: 'Go.', tools: [{ type: 'service:web_search' }] }),
    signal: leaving.signal,
  }).catch(() => undefined);
  await arrived.promise;
  leaving.abort();
  await asked;
  await eventually('the turn is charged', async () => {
    const { spentTotal } = await gateway.storage.ledger.balance(gateway.account.id);
    return spentTotal === turnCost;
  });
  assert.equal(world.upstream('acme/atlas-4').requests.length, 1);
});
