import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Config } from '../../src/config/config.ts';
import { plainRules } from '../../src/core/guardrail.ts';
import { parseUsd } from '../../src/core/money.ts';
import { Secret } from '../../src/util/secret.ts';
import type { EngineSettings } from '../../src/web-search/search-engine.ts';
import { dialects } from '../dialects/dialects.ts';
import { type Stage, setStage } from '../dialects/support/stage.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { type LocalSite, sendJson, startSite } from '../server-tools/local-site.ts';
import { callApi } from '../support/call-api.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { configOf, type GatewayOptions, startGateway } from '../support/gateway.ts';
import { saying } from '../support/made-pdf.ts';
import { parseStream } from '../support/read-stream.ts';

const results = [
  { url: 'https://sea.example/a', title: 'A', highlights: ['Noon, says jane.doe@example.com.'] },
  { url: 'https://sea.example/b', title: 'B', highlights: ['Six.'] },
];
const said = 'High at noon [sea.example](https://sea.example/a).';
const citation = {
  type: 'url_citation',
  url: 'https://sea.example/a',
  title: 'A',
  start_index: 13,
  end_index: 49,
  content: 'Noon, says jane.doe@example.com.',
};
const web = [{ id: 'web' }];
const metadata = { 'x-service-metadata': 'enabled' };
const engineSite = () => startSite((_request, response) => sendJson(response, { results }));

const { tools: plainTools } = configOf({ models: [] });
const withEngines = (...engines: EngineSettings[]): Config['tools'] => ({
  ...plainTools,
  webSearch: { engines },
});
const exaAt = ({ url }: LocalSite): EngineSettings => ({
  engine: 'exa',
  baseUrl: url,
  apiKey: new Secret('engine-key'),
});

interface Entry {
  readonly name: string;
  readonly data: Record<string, unknown>;
  readonly cost_usd: number;
}
const entryOf = (body: { service_metadata: { pipeline?: Entry[] } }) =>
  body.service_metadata.pipeline?.find(({ name }) => name === 'web-search');

describe('a search before the model, on every dialect, streamed or not', { concurrency: 3 }, () => {
  for (const dialect of dialects) {
    describe(dialect.adapter, { concurrency: 1 }, () => {
      let site: LocalSite;
      let stage: Stage & { readonly strike: () => Promise<void> };
      before(async () => {
        site = await engineSite();
        stage = await setStage(dialect, { tools: withEngines(exaAt(site)) });
      });
      after(async () => {
        await stage.strike();
        await site[Symbol.asyncDispose]();
      });
      for (const stream of [false, true]) {
        test(stream ? 'streamed' : 'whole', async () => {
          stage.say({
            utterances: [{ say: [said.slice(0, 20), said.slice(20)] }],
            finish: 'stop',
            usage: { input: 9, output: 2 },
          });
          const plugins = [{ ...web[0], engine: 'exa' }];
          const got = await stage.ask({ input: ' When is\nhigh water? ', plugins, stream }, metadata);
          assert.equal(got.text, said);
          const asked = JSON.parse(site.seen.at(-1)?.body ?? '');
          assert.deepEqual([asked.query, asked.numResults], ['When is high water?', 5]);
          const sent = JSON.stringify(stage.lastSeen);
          assert.match(sent, /web_search_results.*https:\/\/sea\.example\/b.*Six\./);
          const message = got.body.output.find(({ type }: { type: string }) => type === 'message');
          assert.deepEqual(message.content[0].annotations, [citation]);
          assert.equal(got.body.usage.server_tool_use_details.web_search_requests, 1);
          const entry = entryOf(got.body);
          assert.deepEqual([entry?.data, entry?.cost_usd], [{ engine: 'exa', results: 2 }, 0.007]);
        });
      }
    });
  }
});

async function start(
  config: GatewayOptions['config'],
  {
    scripts,
    adapter = 'openai-chat',
    free = false,
    prepaid = free,
  }: { scripts?: Script[]; adapter?: string; free?: boolean; prepaid?: boolean } = {},
) {
  const upstream = await startFakeUpstream(...(scripts ?? [{ steps: chatStream(said) }]));
  const quirks = adapter === 'openai-responses' ? { hostedTools: ['web_search'] } : {};
  const provider = providerOf({ slug: 'north', adapter, baseUrl: `${upstream.url}/v1`, quirks });
  const model = modelOf('acme/atlas-4', [provider]);
  const zero = { prompt: 0n, completion: 0n } as never;
  const models = free ? [modelOf('acme/atlas-4:free', [provider], { price: zero }), model] : [model];
  const gateway = await startGateway({ models, config, billingMode: prepaid ? 'prepaid' : 'invoice' });
  return {
    gateway,
    upstream,
    // biome-ignore lint/suspicious/noExplicitAny: bodies of answers, each checked by its test.
    async ask(body: object, path = 'responses'): Promise<{ status: number; body: any }> {
      const response = await fetch(`${gateway.url}/api/v1/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}`, ...metadata },
        body: JSON.stringify({ model: 'acme/atlas-4', input: 'When?', ...body }),
      });
      return { status: response.status, body: await response.json() };
    },
    sent: () => JSON.stringify(upstream.requests.at(-1)?.body),
    async [Symbol.asyncDispose]() {
      assert.deepEqual(await gateway.storage.ledger.verify(), []);
      await gateway.stop();
      await upstream.close();
    },
  };
}

test('the variant online is the plugin, and its fee is a record of the request', async () => {
  await using site = await engineSite();
  await using world = await start({ tools: withEngines(exaAt(site)) });
  const { body } = await world.ask({ model: 'acme/atlas-4:online' });
  assert.equal(body.model, 'acme/atlas-4');
  assert.equal(entryOf(body)?.data.results, 2);
  assert.ok(body.usage.cost > 0.007 && body.usage.cost < 0.0075);
  const spent = await callApi(world.gateway, world.gateway.key, 'GET', '/key');
  assert.equal(spent.body.data.usage, body.usage.cost);
  const chat = await world.ask(
    { input: undefined, model: 'acme/atlas-4:online', messages: [{ role: 'user', content: 'When?' }] },
    'chat/completions',
  );
  const { type: _type, ...cited } = citation;
  assert.deepEqual(chat.body.choices[0].message.annotations, [{ type: 'url_citation', url_citation: cited }]);
  assert.match(world.sent(), /"role":"system".*web_search_results.*"role":"user"/);
});

test('settings: domains, amount, mode and prompt', async () => {
  await using site = await engineSite();
  await using world = await start({ tools: withEngines(exaAt(site)) });
  const plugin = {
    id: 'web',
    max_results: 1,
    mode: 'deep',
    search_prompt: 'Found by us:',
    include_domains: ['*.example'],
    exclude_domains: ['sea.example/a'],
  };
  const { body } = await world.ask({ plugins: [plugin] });
  const asked = JSON.parse(site.seen[0]?.body ?? '');
  assert.deepEqual(
    [asked.numResults, asked.type, asked.includeDomains, asked.excludeDomains],
    [1, 'deep', ['example'], ['sea.example/a']],
  );
  assert.match(world.sent(), /Found by us:.*\[1\] B/);
  assert.doesNotMatch(world.sent(), /\[1\] A/);
  assert.equal(entryOf(body)?.cost_usd, 0.012);
});

test('a failed search costs nothing, and the request goes on', async () => {
  await using site = await startSite((_request, response) => sendJson(response, {}, 500));
  await using world = await start({ tools: withEngines(exaAt(site)) });
  const { status, body } = await world.ask({ plugins: web });
  assert.equal(status, 200);
  const entry = entryOf(body);
  assert.deepEqual([entry?.data.results, entry?.cost_usd], [0, 0]);
  assert.match(String(entry?.data.error), /exa.*500/);
  assert.ok(body.usage.cost < 0.001);
  assert.doesNotMatch(world.sent(), /web_search_results/);
});

test('what cannot be searched is refused before anything is asked', async () => {
  await using none = await start({});
  for (const request of [{ plugins: web }, { model: 'acme/atlas-4:online' }]) {
    const { status, body } = await none.ask(request);
    assert.equal(status, 400);
    assert.match(body.error.message, /web.*tools\.web_search\.engines/);
  }
  await using site = await engineSite();
  const parallel = { engine: 'parallel', baseUrl: site.url, apiKey: new Secret('k') } as const;
  await using world = await start({ tools: withEngines(exaAt(site), parallel) });
  const other = await world.ask({ plugins: [{ id: 'web', engine: 'perplexity' }] });
  assert.equal(other.status, 400);
  assert.match(other.body.error.message, /perplexity/);
  const lists = { include_domains: ['a.example'], exclude_domains: ['b.example'] };
  const both = await world.ask({ plugins: [{ id: 'web', engine: 'parallel', ...lists }] });
  assert.equal(both.status, 400);
  assert.match(both.body.error.message, /not both/);
  assert.equal(site.seen.length + world.upstream.requests.length, 0);
});

test('a default turns it on; a request turns that off, unless it is enforced', async () => {
  await using site = await engineSite();
  const tools = withEngines(exaAt(site));
  const { plugins } = configOf({ models: [] });
  const on = (enforced: boolean) => ({
    tools,
    plugins: { ...plugins, defaults: { web: { config: {}, enforced } } },
  });
  const off = { plugins: [{ id: 'web', enabled: false }] };
  await using usual = await start(on(false));
  assert.equal(entryOf((await usual.ask({})).body)?.data.results, 2);
  assert.equal(entryOf((await usual.ask(off)).body), undefined);
  assert.equal(site.seen.length, 1);
  await using enforced = await start(on(true));
  const { status, body } = await enforced.ask(off);
  assert.deepEqual([status, entryOf(body)?.data.results], [200, 2]);
});

test('the provider searches where it can, and the engine where only some can or domains cannot be told', async () => {
  await using site = await engineSite();
  const scripts = [{ status: 500, steps: ['{}'] }];
  await using world = await start(
    { tools: withEngines(exaAt(site)) },
    { adapter: 'openai-responses', scripts },
  );
  await world.ask({ plugins: [{ id: 'web', user_location: { type: 'approximate', city: 'Brest' } }] });
  assert.match(world.sent(), /"type":"web_search".*Brest/);
  assert.equal(site.seen.length, 0);
  await world.ask({ plugins: [{ id: 'web', engine: 'exa' }] });
  assert.doesNotMatch(world.sent(), /"type":"web_search"/);
  assert.equal(site.seen.length, 1);
});

test('a provider that cannot be told domains searches where none are named, else the engine does', async () => {
  await using site = await engineSite();
  const scripts = [{ status: 500, steps: ['{}'] }];
  await using world = await start({ tools: withEngines(exaAt(site)) }, { adapter: 'google-gemini', scripts });
  await world.ask({ plugins: web });
  assert.match(world.sent(), /google_?search/i);
  assert.equal(site.seen.length, 0);
  await world.ask({ plugins: [{ id: 'web', include_domains: ['sea.example'] }] });
  assert.doesNotMatch(world.sent(), /google_?search/i);
  assert.equal(site.seen.length, 1);
});

test('web_search_options of chat set the search of the provider, and turn none on', async () => {
  const scripts = [{ status: 500, steps: ['{}'] }];
  await using world = await start({}, { adapter: 'openai-responses', scripts });
  const options = { search_context_size: 'high', user_location: { approximate: { city: 'Brest' } } };
  const chat = {
    input: undefined,
    messages: [{ role: 'user', content: 'When?' }],
    web_search_options: options,
  };
  await world.ask(chat, 'chat/completions');
  assert.doesNotMatch(world.sent(), /web_search|Brest/);
  for (const asked of [{ plugins: web }, { tools: [{ type: 'web_search' }] }]) {
    await world.ask({ ...chat, ...asked }, 'chat/completions');
    assert.match(world.sent(), /"type":"web_search".*"search_context_size":"high"/);
    assert.match(world.sent(), /"city":"Brest"/);
  }
  const wrong = await world.ask(
    { ...chat, web_search_options: { search_context_size: 'huge' } },
    'chat/completions',
  );
  assert.equal(wrong.status, 400);
  assert.match(wrong.body.error.message, /web_search_options\.search_context_size/);
});

test('the query is what the guardrails left, and results are scanned', async () => {
  await using site = await engineSite();
  const rules = { ...plainRules, contentFilterBuiltins: [{ slug: 'email', action: 'redact' }] } as const;
  const guardrails = [{ name: 'mail', rules, apply: { all: true, workspaces: [], keys: [] } }];
  await using world = await start({ tools: withEngines(exaAt(site)), guardrails });
  await world.ask({ input: 'Who is max@example.com?', plugins: web });
  assert.equal(JSON.parse(site.seen[0]?.body ?? '').query, 'Who is [EMAIL]?');
  assert.match(world.sent(), /Noon, says \[EMAIL\]/);
  assert.doesNotMatch(world.sent(), /example\.com\?|jane\.doe/);
});

test('a free model pays for its search, so one without credits does not get it', async () => {
  await using site = await engineSite();
  await using world = await start({ tools: withEngines(exaAt(site)) }, { free: true });
  const { status, body } = await world.ask({ model: 'acme/atlas-4:free:online' });
  assert.equal(status, 402, JSON.stringify(body));
  assert.equal(site.seen.length, 0);
  await using costless = await start(
    { tools: withEngines({ ...exaAt(site), price: parseUsd(0) }) },
    { free: true },
  );
  assert.equal((await costless.ask({ model: 'acme/atlas-4:free:online' })).status, 200);
});

test('a key that has spent its limit gets no search, though its model is free', async () => {
  await using site = await engineSite();
  await using world = await start({ tools: withEngines(exaAt(site)) }, { free: true, prepaid: false });
  const key = await world.gateway.createKey({ limit: parseUsd(0.008) });
  const statuses: number[] = [];
  const searching = { model: 'acme/atlas-4:free:online', input: 'When?' };
  const file = { type: 'input_file', filename: 'a.pdf', file_data: saying('Noon.').toString('base64') };
  const reading = {
    model: 'acme/atlas-4:free',
    input: [{ role: 'user', content: [file] }],
    plugins: [{ id: 'file-parser', pdf: { engine: 'cloudflare-ai' } }],
  };
  for (const body of [searching, searching, searching, reading]) {
    const response = await fetch(`${world.gateway.url}/api/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify(body),
    });
    await response.text();
    statuses.push(response.status);
  }
  assert.deepEqual(statuses, [200, 200, 402, 200], 'a plugin that costs nothing goes on');
  assert.equal(site.seen.length, 2);
});

test('the plugin searches once, and the tool stays for the model', async () => {
  await using site = await engineSite();
  await using world = await start({ tools: withEngines(exaAt(site)) });
  const { status } = await world.ask({
    model: 'acme/atlas-4:online',
    plugins: web,
    tools: [{ type: 'service:web_search' }],
  });
  assert.equal(status, 200);
  assert.equal(site.seen.length, 1);
  assert.match(world.sent(), /service_web_search/);
});

test('web-fetch lists the tool with its settings, unless the request has it', async () => {
  await using world = await start({});
  const plugin = { id: 'web-fetch', max_uses: 1, allowed_domains: ['sea.example'] };
  assert.equal((await world.ask({ plugins: [plugin] })).status, 200);
  assert.match(world.sent(), /service_web_fetch/);
  const both = { plugins: [plugin], tools: [{ type: 'service:web_fetch' }] };
  assert.equal((await world.ask(both)).status, 200);
  assert.equal(world.sent().match(/"name":"service_web_fetch"/g)?.length, 1);
});

test('a stream cites before its text ends', async () => {
  await using site = await engineSite();
  await using world = await start({ tools: withEngines(exaAt(site)) });
  const request = { model: 'acme/atlas-4', input: 'When?', plugins: web, stream: true };
  const { events } = parseStream(await (await world.gateway.post(request)).text());
  const types = events.map(({ type }) => type);
  const added = types.indexOf('response.output_text.annotation.added');
  assert.equal(types[added + 1], 'response.output_text.done');
});
