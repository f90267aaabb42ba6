import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { hashKey } from '../../src/core/api-key.ts';
import type { Model } from '../../src/core/catalogue.ts';
import { startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { type GuardedGateway, startGuarded } from '../support/guarded-gateway.ts';

const mail = 'jane.doe@example.com';

describe('counting tokens holds to the rules of a request that is answered', { concurrency: 1 }, () => {
  let world: GuardedGateway;
  let provider: Awaited<ReturnType<typeof startFakeUpstream>>;
  before(async () => {
    provider = await startFakeUpstream({ whole: JSON.stringify({ input_tokens: 77 }) });
    const at = { adapter: 'anthropic-messages', baseUrl: `${provider.url}/v1` };
    const model = (name: string, slug: string, more: object = {}): Model => ({
      ...modelOf(`acme/${name}`, [providerOf({ slug, ...at, ...more })]),
      inputModalities: ['text', 'image', 'file'],
    });
    world = await startGuarded({
      models: () => [
        model('atlas-4', 'clear'),
        model('kept', 'keeping', { retainsPrompts: true }),
        model('trained', 'training', { trainsOnPrompts: true }),
      ],
    });
  });
  after(async () => {
    await world.stop();
    await provider.close();
  });
  let sent = 0;
  beforeEach(() => {
    sent = provider.requests.length;
  });
  const left = () => JSON.stringify(provider.requests.slice(sent));

  /** Counts with a key of its own. */
  async function counting(rules: object, fields: object = {}) {
    const key = await world.gateway.createKey(fields);
    await world.guard(rules, { keys: [hashKey(key)] });
    return (content: unknown, more: object = {}) =>
      world.ask(
        { max_tokens: 5, messages: [{ role: 'user', content }], ...more },
        key,
        'messages/count_tokens',
      );
  }
  const filter = (action: string) => ({ content_filter_builtins: [{ slug: 'email', action }] });
  const document = (bytes: Buffer, media_type = 'application/pdf') => ({
    type: 'document',
    source: { type: 'base64', media_type, data: bytes.toString('base64') },
  });

  test('a blocked text is not sent, a redacted one is counted as redacted, a flagged one as it is', async () => {
    const block = await counting(filter('block'));
    for (const more of [
      {},
      { system: `Write to ${mail}` },
      { tools: [{ name: 't', description: mail, input_schema: {} }] },
    ]) {
      const { status, body, text } = await block(Object.keys(more).length === 0 ? mail : 'Hi', more);
      assert.equal(status, 403, text);
      assert.match(body.error.message, /blocked by a guardrail: Email address/);
      assert.equal(body.service_metadata.pipeline.at(-1).data.action, 'blocked');
      assert.ok(!text.includes(mail));
    }
    assert.equal(left(), '[]');
    const redact = await counting(filter('redact'));
    const counted = await redact(`Write to ${mail}.`);
    assert.deepEqual([counted.status, counted.body.input_tokens], [200, 77]);
    assert.ok(left().includes('[EMAIL]') && !left().includes(mail), left());
    assert.equal((await (await counting(filter('flag')))(mail)).body.input_tokens, 77);
    assert.ok(left().includes(mail));
  });

  test('models, providers and practices that are forbidden are asked for no count', async () => {
    const asked: readonly (readonly [rules: object, model: string, status: number, fields?: object])[] = [
      [{ allowed_models: ['acme/kept'] }, 'acme/atlas-4', 403],
      [{ ignored_models: ['acme/atlas-4'] }, 'acme/atlas-4', 403],
      [{ allowed_providers: ['south'] }, 'acme/atlas-4', 503],
      [{ ignored_providers: ['clear'] }, 'acme/atlas-4', 503],
      [{ enforce_zdr: true }, 'acme/kept', 503],
      [{ enable_paid_model_training: false }, 'acme/trained', 503],
      [{}, 'acme/atlas-4', 403, { allowedModels: ['acme/kept'] }],
    ];
    for (const [rules, model, status, fields] of asked) {
      const count = await counting(rules, fields);
      assert.equal((await count('Hi', { model })).status, status, JSON.stringify([rules, fields]));
    }
    assert.equal(left(), '[]');
  });

  test("a file of the gateway is counted by its contents, and only its owner's", async () => {
    const key = await world.gateway.createKey();
    const form = new FormData();
    form.set('file', new Blob(['%PDF-1.4 said'], { type: 'application/pdf' }), `${mail}.pdf`);
    const headers = { authorization: `Bearer ${key}` };
    const stored = await fetch(`${world.gateway.url}/api/v1/files`, { method: 'POST', headers, body: form });
    const { id } = (await stored.json()) as { readonly id: string };
    const count = await counting({});
    const named = (file_id: string) => [{ type: 'document', source: { type: 'file', file_id } }];
    assert.equal((await count(named(id))).status, 200);
    assert.ok(
      !left().includes(id) && left().includes(Buffer.from('%PDF-1.4 said').toString('base64')),
      left(),
    );
    assert.equal((await (await counting(filter('block')))(named(id))).status, 403, 'its name');
    assert.equal((await count(named(`file_hg_${'0'.repeat(32)}`))).status, 404);
  });

  test('files that the gateway would read itself, and texts to be moderated, stay here', async () => {
    const count = await counting({});
    const pdf = document(Buffer.from('%PDF-1.4 said'));
    const estimate = async (content: unknown, more: object) => {
      const { status, headers, text } = await count(content, more);
      assert.equal(status, 200, text);
      assert.equal(headers.get('x-service-token-count'), 'estimate');
    };
    await estimate([pdf], { plugins: [{ id: 'file-parser', pdf: { engine: 'pdf-text' } }] });
    await estimate([document(Buffer.from('Said.'), 'text/plain')], {});
    await estimate('Hi', { plugins: [{ id: 'moderation' }] });
    assert.equal(left(), '[]');
    const large = document(Buffer.alloc(26 * 1024 * 1024, '%PDF-1.4 '));
    assert.equal((await count([large])).status, 413);
    assert.equal(left(), '[]');
    assert.equal((await count([pdf])).headers.get('x-service-token-count'), 'exact');
  });
});
