import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Config } from '../../src/config/config.ts';
import { plainRules } from '../../src/core/guardrail.ts';
import { Secret } from '../../src/util/secret.ts';
import { dialects } from '../dialects/dialects.ts';
import { type Stage, setStage } from '../dialects/support/stage.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { type LocalSite, sendJson, startSite } from '../server-tools/local-site.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { configOf, startGateway } from '../support/gateway.ts';

const metadata = { 'x-service-metadata': 'enabled' };
const moderation = [{ id: 'moderation' }];
const { plugins: plain } = configOf({ models: [] });

/** A service that flags texts which speak of storms. */
const service = () =>
  startSite((request, response) => {
    const { input } = JSON.parse(request.body);
    const said = (one: string | { image_url: { url: string } }) =>
      typeof one === 'string' ? one : Buffer.from(one.image_url.url.split(',')[1] ?? '', 'base64').toString();
    const results = [input]
      .flat()
      .map(said)
      .map((text: string) => ({
        flagged: /storm/.test(text),
        categories: { weather: /storm/.test(text), violence: false },
        category_scores: { weather: /storm/.test(text) ? 0.9 : 0.6, violence: 0.01 },
      }));
    sendJson(response, { id: 'modr-1', model: 'sea', results });
  });
const backendAt = (
  site: LocalSite,
  onFailure: 'allow' | 'refuse' = 'allow',
  timeout = 60_000,
  images = false,
): Config['plugins'] => ({
  ...plain,
  moderation: {
    baseUrl: `${site.url}/v1`,
    apiKey: new Secret('mod-key'),
    model: 'sea',
    images,
    timeout,
    onFailure,
  },
});

interface Entry {
  readonly name: string;
  readonly data: Record<string, unknown>;
}
const entryOf = (body: { service_metadata: { pipeline?: Entry[] } }) =>
  body.service_metadata.pipeline?.find(({ name }) => name === 'moderation')?.data;

describe('the plugin, before every dialect, streamed or not', { concurrency: 3 }, () => {
  for (const dialect of dialects) {
    describe(dialect.adapter, { concurrency: 1 }, () => {
      let site: LocalSite;
      let stage: Stage & { readonly strike: () => Promise<void> };
      before(async () => {
        site = await service();
        stage = await setStage(dialect, { plugins: backendAt(site) });
      });
      after(async () => {
        await stage.strike();
        await site[Symbol.asyncDispose]();
      });
      for (const stream of [false, true]) {
        test(stream ? 'streamed' : 'whole', async () => {
          stage.say({ utterances: [{ say: ['Calm.'] }], finish: 'stop', usage: { input: 9, output: 2 } });
          const allowed = await stage.ask({ input: 'A calm sea?', plugins: moderation, stream }, metadata);
          assert.equal(allowed.text, 'Calm.');
          assert.deepEqual(entryOf(allowed.body), {
            flagged: false,
            decision: 'allow',
            confidence_level: 'medium',
          });
          const asked = stage.provider.seen.length;
          const blocked = await stage.ask({ input: 'A storm?', plugins: moderation, stream }, metadata);
          assert.equal(blocked.status, 403);
          assert.equal(stage.provider.seen.length, asked);
          const { error_type, ...details } = blocked.body.error.metadata;
          assert.equal(error_type, 'content_policy_violation');
          assert.deepEqual(details, {
            reasons: ['weather'],
            flagged_input: 'A storm?',
            provider_name: 'service',
            model_slug: 'acme/atlas-4',
          });
          assert.deepEqual(entryOf(blocked.body), {
            flagged: true,
            decision: 'block',
            confidence_level: 'high',
          });
          assert.equal(blocked.body.service_metadata.attempts, undefined);
        });
      }
    });
  }
});

/** A gateway whose first model has a moderated endpoint alone, and whose second has none. */
async function start(plugins: Config['plugins'], guardrails: Config['guardrails'] = []) {
  const upstream = await startFakeUpstream({ steps: chatStream('Calm.') });
  const north = providerOf({ slug: 'north', name: 'North', baseUrl: `${upstream.url}/v1` });
  const models = [modelOf('acme/guarded', [north], { isModerated: true }), modelOf('acme/free', [north])];
  const gateway = await startGateway({ models, config: { plugins, guardrails } });
  return {
    gateway,
    upstream,
    // biome-ignore lint/suspicious/noExplicitAny: bodies of answers, each checked by its test.
    async ask(body: object, path = 'responses'): Promise<{ status: number; body: any }> {
      const response = await fetch(`${gateway.url}/api/v1/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}`, ...metadata },
        body: JSON.stringify({ model: 'acme/guarded', input: 'A calm sea?', ...body }),
      });
      return { status: response.status, body: await response.json() };
    },
    async [Symbol.asyncDispose]() {
      await gateway.stop();
      await upstream.close();
    },
  };
}

test('the service is asked in the common form, with instructions and users, in pieces', async () => {
  await using site = await service();
  await using world = await start(backendAt(site));
  const input = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'x'.repeat(40_000) },
    { role: 'assistant', content: 'What of a storm?' },
    { role: 'user', content: 'Go on.' },
  ];
  assert.equal(
    (await world.ask({ instructions: 'You are a pilot.', input, plugins: moderation })).status,
    200,
  );
  const [asked] = site.seen;
  assert.deepEqual([asked?.url, asked?.headers.authorization], ['/v1/moderations', 'Bearer mod-key']);
  const body = JSON.parse(asked?.body ?? '');
  assert.deepEqual([body.model, body.input.length], ['sea', 2]);
  assert.match(body.input[0], /^You are a pilot\.\nBe brief\.\nxxx/);
  assert.match(body.input[1], /x\nGo on\.$/);
  assert.equal(body.input[0].length, 30_000);
  assert.equal(site.seen.length, 1);
});

test('an endpoint that wants it gets it unasked, once, and a fallback may serve what it flags', async () => {
  await using site = await service();
  await using world = await start(backendAt(site));
  const calm = await world.ask({});
  assert.deepEqual(entryOf(calm.body)?.decision, 'allow');
  assert.equal(site.seen.length, 1);
  const long = `A storm ${'!'.repeat(300)} is near`;
  const flagged = await world.ask({ input: long });
  assert.equal(flagged.status, 403);
  const { reasons, flagged_input, provider_name, model_slug } = flagged.body.error.metadata;
  assert.deepEqual([reasons, provider_name, model_slug], [['weather'], 'North', 'acme/guarded']);
  assert.equal(flagged_input.length, 100);
  assert.match(flagged_input, /^A storm !+\.\.\.!+ is near$/);
  const saved = await world.ask({ input: long, models: ['acme/free'] });
  assert.equal(saved.status, 200);
  assert.equal(saved.body.model, 'acme/free');
  assert.equal(entryOf(saved.body)?.decision, 'block');
  const before = site.seen.length;
  await world.ask({ model: 'acme/free', input: long });
  assert.equal(site.seen.length, before);
});

test('in Messages a block is the error of that protocol', async () => {
  await using site = await service();
  await using world = await start(backendAt(site));
  const messages = [{ role: 'user', content: 'A storm?' }];
  const { status, body } = await world.ask(
    { input: undefined, max_tokens: 9, messages, plugins: moderation },
    'messages',
  );
  assert.equal(status, 403);
  assert.equal(body.error.type, 'permission_error');
  assert.deepEqual(body.metadata.reasons, ['weather']);
});

test('without a service the plugin is refused, and an endpoint is asked all the same', async () => {
  await using world = await start(plain);
  const named = await world.ask({ plugins: moderation });
  assert.equal(named.status, 400);
  assert.match(named.body.error.message, /plugins\.moderation/);
  const unasked = await world.ask({ input: 'A storm?' });
  assert.equal(unasked.status, 200);
  assert.deepEqual(entryOf(unasked.body), { flagged: false, decision: 'error' });
});

const failures: readonly (readonly [string, Parameters<typeof startSite>[0]])[] = [
  ['fails', (_request, response) => sendJson(response, {}, 500)],
  ['says nothing', () => {}],
  ['says something else', (_request, response) => sendJson(response, { results: [] })],
  ['breaks off', (_request, response) => response.destroy()],
];
for (const [what, answer] of failures) {
  test(`a service that ${what}: the request goes on, or not, as the operator wants`, async () => {
    await using site = await startSite(answer);
    for (const request of [{ plugins: moderation }, {}]) {
      await using open = await start(backendAt(site, 'allow', 300));
      const allowed = await open.ask(request);
      assert.equal(allowed.status, 200);
      assert.deepEqual(entryOf(allowed.body), { flagged: false, decision: 'error' });
      await using closed = await start(backendAt(site, 'refuse', 300));
      const refused = await closed.ask(request);
      assert.equal(refused.status, 503, JSON.stringify(refused.body));
      assert.equal(closed.upstream.requests.length, 0);
    }
  });
}

test('what a guardrail took out, the service does not see', async () => {
  await using site = await service();
  const rules = { ...plainRules, contentFilterBuiltins: [{ slug: 'email', action: 'redact' }] } as const;
  const apply = { all: true, workspaces: [], keys: [] };
  await using world = await start(backendAt(site), [{ name: 'mail', rules, apply }]);
  await world.ask({ input: 'Ask jane.doe@example.com.', plugins: moderation });
  assert.equal(JSON.parse(site.seen[0]?.body ?? '').input, 'Ask [EMAIL].');
});

const picture = (says: string) => `data:image/png;base64,${Buffer.from(says).toString('base64')}`;
const showing = (...pictures: string[]) => [
  { role: 'user', content: pictures.map((image_url) => ({ type: 'input_image', image_url })) },
];

test('pictures are judged where the service takes them, one a question and each once', async () => {
  await using site = await service();
  await using world = await start(backendAt(site, 'allow', 60_000, true));
  const calm = [picture('calm'), picture('calmer'), picture('calm')];
  const allowed = await world.ask({ input: showing(...calm), plugins: moderation });
  assert.equal(allowed.status, 200);
  assert.deepEqual(entryOf(allowed.body)?.decision, 'allow');
  const asked = site.seen.map(({ body }) => JSON.parse(body).input);
  assert.deepEqual(
    asked.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)),
    [picture('calm'), picture('calmer')].map((url) => [{ type: 'image_url', image_url: { url } }]),
  );
  for (const request of [{ plugins: moderation }, {}]) {
    const flagged = await world.ask({ input: showing(...calm, picture('a storm')), ...request });
    assert.equal(flagged.status, 403);
    const { reasons, flagged_input } = flagged.body.error.metadata;
    assert.deepEqual([reasons, flagged_input], [['weather'], '[image 3]']);
  }
  assert.equal(world.upstream.requests.length, 1);
});

test('pictures are not sent to a service that is not said to take them, and more than 64 count as its failure', async () => {
  await using site = await service();
  await using world = await start(backendAt(site));
  assert.equal((await world.ask({ input: showing(picture('a storm')), plugins: moderation })).status, 200);
  assert.equal(site.seen.length, 0);
  await using closed = await start(backendAt(site, 'refuse', 60_000, true));
  const many = Array.from({ length: 65 }, (_, index) => picture(`calm ${index}`));
  assert.equal((await closed.ask({ input: showing(...many.slice(1)), plugins: moderation })).status, 200);
  assert.equal((await closed.ask({ input: showing(...many), plugins: moderation })).status, 503);
  assert.equal(site.seen.length, 64);
});
