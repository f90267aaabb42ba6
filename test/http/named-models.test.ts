import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { plainRules } from '../../src/core/guardrail.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
let limited: string;
let manager: string;

before(async () => {
  const north = providerOf({ slug: 'north', baseUrl: 'http://127.0.0.1:9/v1' });
  gateway = await startGateway({
    models: ['acme/atlas-4', 'acme/brook-2', 'acme/cedar-1'].map((id) => modelOf(id, [north])),
    config: {
      compat: {
        aliases: [],
        byokCreatedStatus: 200,
        modelAliases: {
          'gpt-4o': 'acme/atlas-4',
          'team/fast': 'acme/brook-2',
          'gpt-*': 'acme/cedar-1',
          gone: 'acme/nothing',
          'acme/cedar-1': 'acme/atlas-4',
        },
        claudeIds: false,
        closeStreams: false,
        echoModel: false,
        unavailableTools: 'refuse',
      },
      guardrails: [
        {
          name: 'no brooks',
          rules: { ...plainRules, ignoredModels: ['acme/brook-2'] },
          apply: { all: true, workspaces: [], keys: [] },
        },
      ],
    },
  });
  limited = await gateway.createKey({ allowedModels: ['acme/atlas-*'] });
  manager = await gateway.createKey({ kind: 'management' });
});

after(() => gateway.stop());

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes.
async function get(path: string, key = gateway.key): Promise<any> {
  const answer = await fetch(`${gateway.url}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } });
  return answer.json();
}

const idsIn = ({ data }: { readonly data: readonly { readonly id: string }[] }) =>
  data.map(({ id }) => id).filter((id) => !id.startsWith('service/'));

test('names that an operator gave are rows of the list, patterns and names of nothing are not', async () => {
  const list = await get('/models?all=true', manager);
  assert.deepEqual(idsIn(list), ['acme/atlas-4', 'acme/brook-2', 'acme/cedar-1', 'gpt-4o', 'team/fast']);
  const row = list.data.find(({ id }: { id: string }) => id === 'gpt-4o');
  assert.deepEqual(row.alias_target, { slug: 'acme/atlas-4', name: 'acme/atlas-4' });
  assert.equal(row.name, 'acme/atlas-4');
});

test('they are found at every path of a model', async () => {
  for (const [path, id] of [
    ['/models/gpt-4o', 'gpt-4o'],
    ['/model/gpt-4o', 'gpt-4o'],
    ['/models/team/fast', 'team/fast'],
    ['/model/team%2Ffast', 'team/fast'],
    ['/models/gpt-5-whatever', 'gpt-5-whatever'],
  ] as const) {
    const { data } = await get(path);
    assert.equal(data?.id, id, path);
  }
  for (const [path, id] of [
    ['/models/gpt-4o/endpoints', 'gpt-4o'],
    ['/models/team/fast/endpoints', 'team/fast'],
  ] as const) {
    const { data } = await get(path);
    assert.deepEqual([data.id, data.endpoints.length], [id, 1], path);
  }
  assert.equal((await get('/models/gone')).error.code, 404);
  assert.equal((await get('/models/acme/cedar-1')).data.id, 'acme/cedar-1', 'a slug is itself');
});

test("OpenAI's library reads one model and the list, Anthropic's too", async () => {
  const openai = new OpenAI({ baseURL: `${gateway.url}/api/v1`, apiKey: gateway.key });
  const one = await openai.models.retrieve('gpt-4o');
  assert.deepEqual([one.id, one.object, one.owned_by], ['gpt-4o', 'model', 'acme']);
  assert.equal(one.created, 1_767_225_600);
  const listed: string[] = [];
  for await (const { id } of openai.models.list()) listed.push(id);
  assert.ok(listed.includes('gpt-4o') && !listed.includes('team/fast'), listed.join());
  const anthropic = new Anthropic({ baseURL: `${gateway.url}/api`, apiKey: gateway.key });
  assert.equal((await anthropic.models.retrieve('gpt-4o')).id, 'gpt-4o');
});

test('lists show what the key and its guardrails allow, and everything to a management key that asks', async () => {
  const at = (path: string, key: string) => get(path, key).then(idsIn);
  assert.deepEqual(await at('/models', gateway.key), ['acme/atlas-4', 'acme/cedar-1', 'gpt-4o']);
  for (const path of ['/models', '/models/user']) {
    assert.deepEqual(await at(path, limited), ['acme/atlas-4', 'gpt-4o']);
  }
  assert.deepEqual(
    (await get('/models/count', limited)).data.count,
    (await get('/models', limited)).total_count,
  );
  const served = (list: { readonly data: readonly { readonly model_id: string }[] }) =>
    list.data.map(({ model_id }) => model_id);
  for (const path of ['/endpoints', '/endpoints/zdr']) {
    assert.deepEqual(served(await get(path, limited)), ['acme/atlas-4']);
    assert.equal((await get(`${path}?all=true`, manager)).data.length, 3);
  }
  for (const path of ['/models', '/models/count', '/embeddings/models', '/endpoints', '/endpoints/zdr']) {
    const { error } = await get(`${path}?all=true`, limited);
    assert.equal(error?.code, 403, path);
    assert.match(error.message, /^all: needs a management key/);
  }
});
