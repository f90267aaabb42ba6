import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import { createRawKey } from '../../src/core/api-key.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { newKey } from '../../src/management/keys/keys.ts';
import { openCredentialTools } from '../../src/process/credential-tools.ts';
import { databaseTools } from '../../src/process/database-tools.ts';
import { readMasterKeys } from '../../src/secrets/master-key.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { Secret } from '../../src/util/secret.ts';
import type { KeySource } from '../../src/vault/key-source.ts';
import { ConfiguredKeySource, openKeySource } from '../../src/vault/open-key-source.ts';
import { chatBody, chatStream, dataEvent } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { callApi } from '../support/call-api.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway } from '../support/gateway.ts';
import { createServiceAccountKey } from '../support/service-account-key.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const good: Script = { steps: chatStream('Good ', 'day.'), whole: chatBody('Good ', 'day.') };

async function newUpstream(t: TestContext): Promise<FakeUpstream> {
  const upstream = await startFakeUpstream(good);
  t.after(() => upstream.close());
  return upstream;
}

/** A gateway on files in a folder, and a way to manage it as its account. */
async function open(
  t: TestContext,
  folder: string,
  upstream: FakeUpstream,
  models: readonly string[],
  keys?: KeySource,
) {
  const base = `${upstream.url}/v1`;
  const apiKey = new Secret('sk-of-the-operator');
  const providers = [
    providerOf({ slug: 'deepinfra', name: 'DeepInfra', baseUrl: base, apiKey }),
    providerOf({ slug: 'azure', adapter: 'azure-openai', baseUrl: upstream.url, apiKey }),
    providerOf({ slug: 'amazon-bedrock', adapter: 'amazon-bedrock', baseUrl: upstream.url, apiKey }),
    providerOf({
      slug: 'google-vertex',
      adapter: 'google-vertex',
      baseUrl: base,
      quirks: { tokenOrigins: [upstream.url] },
    }),
  ];
  const gateway = await startGateway({
    models: [
      ...models.map((id) => modelOf(id, providers.slice(0, 1))),
      ...providers.slice(1).map((provider) => modelOf(`acme/${provider.slug}`, [provider])),
    ],
    databaseUrl: `sqlite:${join(folder, 'headgate.db')}`,
    keys: keys ?? openKeySource(folder, undefined),
  });
  const managementKey = await gateway.createKey({ kind: 'management', workspaceId: null });
  const manage = async (method: string, path: string, body?: unknown) => {
    const answer = await callApi(gateway, managementKey, method, path, body);
    return { ...answer, data: answer.body.data };
  };
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= gateway.stop();
    return stopping;
  };
  t.after(stop);
  return { gateway, manage, stop };
}

/** Everything in a folder and below it, as text that keeps every byte. */
function filesIn(folder: string): readonly (readonly [name: string, text: string])[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => [name, readFileSync(join(folder, name), 'latin1')]);
}

function assertNowhere(secrets: readonly string[], where: string, text: string): void {
  for (const secret of secrets) {
    const forms = [
      secret,
      JSON.stringify(secret).slice(1, -1),
      Buffer.from(secret).toString('base64').slice(0, -4),
    ];
    for (const form of forms) assert.ok(!text.includes(form), `${where} holds ${form.slice(0, 12)}...`);
  }
}

test('no part of a credential is in the database, its log, the logs, or in anything anybody is shown', async (t) => {
  const folder = temporaryFolder();
  const upstream = await newUpstream(t);
  const { gateway, manage, stop } = await open(t, folder, upstream, ['acme/atlas-4']);
  const raw = 'sk-live-7Hq2ZpXw93LmTtVbNc84';
  const renewed = 'sk-live-Renewed-0a1b2c3d4e5f';
  const azure = 'azure-secret-55ee66ff77aa88bb';
  const bedrock = 'wJalrXUtnFEMI-bPxRfiCYEXAMPLEKEY';
  const account = createServiceAccountKey({ token_uri: `${upstream.url}/token` });
  const privateKey = String(JSON.parse(account).private_key).slice(60, 160);
  const secrets = [raw, renewed, azure, bedrock, privateKey];
  const shown: string[] = [];
  const structured: [string, string][] = [
    ['deepinfra', raw],
    [
      'azure',
      JSON.stringify([
        {
          api_key: azure,
          endpoint_url: `${upstream.url}/openai/deployments/a/chat/completions?api-version=2024-10-21`,
          model_id: 'a',
          model_slug: 'acme/azure',
        },
      ]),
    ],
    [
      'amazon-bedrock',
      JSON.stringify({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: bedrock, region: 'eu-central-1' }),
    ],
    ['google-vertex', account],
  ];
  const ids: string[] = [];
  for (const [provider, key] of structured) {
    const made = await manage('POST', '/byok', { provider, key, is_required: true });
    assert.equal(made.status, 200, made.text);
    ids.push(made.data.id);
    shown.push(made.text);
  }
  const ask = async (model: string, script: Script, more: object = {}) => {
    upstream.play(script);
    const body = { model, input: 'Hi', ...more };
    const response = await gateway.post(body, { 'x-service-metadata': 'enabled' });
    shown.push(JSON.stringify([...response.headers]) + (await response.text()));
    return response.status;
  };
  // A provider can only repeat what it was sent.
  const models: [string, string][] = [
    ['acme/atlas-4', raw],
    ['acme/azure', azure],
    ['acme/amazon-bedrock', bedrock],
    ['acme/google-vertex', account],
  ];
  for (const [model, known] of models) {
    const bodies = [
      JSON.stringify({ error: { message: `Not ${known}`, code: known, type: known }, detail: known }),
      JSON.stringify({ message: `Not ${known}` }),
      known,
    ];
    for (const status of [400, 401, 403, 404, 429, 500]) {
      for (const body of bodies) {
        const headers = { 'content-type': 'application/json' };
        await ask(model, { status, headers, steps: [body], whole: body }, { stream: status % 2 === 0 });
      }
    }
  }
  const failure = dataEvent({ error: { message: `Not ${raw}`, code: raw, type: raw } });
  await ask('acme/atlas-4', { steps: [...chatStream('Hm').slice(0, 2), failure] }, { stream: true });
  const debug = { stream: true, debug: { echo_upstream_body: true } };
  assert.equal(await ask('acme/atlas-4', good, debug), 200);
  assert.ok(upstream.requests.at(-1)?.headers.authorization?.endsWith(raw), 'the provider does get it');
  assert.equal(await ask('acme/azure', good, debug), 200);
  assert.equal(upstream.requests.at(-1)?.headers['api-key'], azure);

  shown.push((await manage('PATCH', `/byok/${ids[0]}`, { key: renewed })).text);
  assert.equal(await ask('acme/atlas-4', good), 200);
  assert.ok(upstream.requests.at(-1)?.headers.authorization?.endsWith(renewed), 'at once');
  for (const body of [
    { provider: raw, key: raw },
    { provider: 'azure', key: azure },
    { provider: 'deepinfra', key: raw, name: [raw] },
    { provider: 'deepinfra', key: raw, [raw]: 1 },
    { provider: 'deepinfra', key: raw, allowed_api_key_hashes: [raw] },
    { provider: 'amazon-bedrock', key: JSON.stringify({ accessKeyId: bedrock }) },
    { provider: 'google-vertex', key: account.replace('"service_account"', '"x"') },
  ]) {
    const refused = await manage('POST', '/byok', body);
    assert.equal(refused.status, 400);
    shown.push(refused.text);
  }
  for (const path of ['/byok', ...ids.map((id) => `/byok/${id}`)])
    shown.push((await manage('GET', path)).text);
  for (const path of ['/metrics', '/health/ready', '/openapi.json', '/']) {
    shown.push(await (await gateway.get(path)).text());
  }
  shown.push((await manage('DELETE', `/byok/${ids[3]}`)).text);

  const seen = filesIn(folder);
  assert.ok(seen.some(([name]) => name.endsWith('-wal')));
  for (const [name, text] of seen) assertNowhere(secrets, name, text);
  assert.ok(gateway.log.length > 70 && shown.length > 80);
  assertNowhere(secrets, 'an answer', shown.join('\n'));
  await stop();
  assertNowhere(secrets, 'the log', gateway.log.join('\n'));
  for (const [name, text] of filesIn(folder)) assertNowhere(secrets, name, text);
});

test('a flipped bit, or a row moved to another account, is a 502 that says so, and one clear line in the log', async (t) => {
  const folder = temporaryFolder();
  const upstream = await newUpstream(t);
  const { gateway, manage } = await open(t, folder, upstream, ['acme/atlas-4']);
  const made = await manage('POST', '/byok', {
    provider: 'deepinfra',
    key: 'sk-own-0123456789',
    is_required: true,
  });
  const database = new DatabaseSync(join(folder, 'headgate.db'), { timeout: 2000 });
  t.after(() => database.close());
  const row = database.prepare('select ciphertext from provider_credentials').get();
  const bytes = Buffer.from(String(row?.ciphertext), 'base64');
  bytes[3] = (bytes[3] ?? 0) ^ 4;
  const put = database.prepare(
    'update provider_credentials set ciphertext = ?, account_id = ?, workspace_id = ?',
  );
  put.run(bytes.toString('base64'), gateway.account.id, null);
  const expect502 = async (response: Response) => {
    const text = await response.text();
    assert.equal(response.status, 502, text);
    const { error } = JSON.parse(text);
    assert.equal(error.metadata.error_type, 'provider_unavailable');
    assert.match(error.message, /sk-\.\.\.6789/);
    const lines = gateway.log.map((line) => JSON.parse(line));
    const told = lines.findLast(({ msg }) => msg === 'a stored credential cannot be used');
    assert.equal(told?.credential, made.data.id);
    assert.match(told?.err.message, /altered, or it belongs to another account/);
  };
  await expect502(await gateway.post({ model: 'acme/atlas-4', input: 'Hi' }));
  assert.equal(upstream.requests.length, 0);

  const thief = newAccount('Thief', 'invoice', Date.now());
  await gateway.storage.accounts.create(thief);
  const raw = createRawKey();
  const owner = { accountId: thief.id, workspaceId: thief.defaultWorkspaceId, createdAt: 1 };
  await gateway.storage.keys.create(newKey(raw, { ...owner, kind: 'inference', name: 'x' }));
  put.run(String(row?.ciphertext), thief.id, null);
  const body = { model: 'acme/atlas-4', input: 'Hi' };
  await expect502(await gateway.post(body, { authorization: `Bearer ${raw}` }));
  assert.equal(upstream.requests.length, 0);
});

test('secrets rotate while requests run: none fails, and the old master key opens nothing afterwards', async (t) => {
  const folder = temporaryFolder();
  const upstream = await newUpstream(t);
  const models = Array.from({ length: 40 }, (_, index) => `acme/m${index}`);
  const { gateway, manage, stop } = await open(t, folder, upstream, models);
  const first = readMasterKeys(readFileSync(join(folder, 'master.key'), 'utf8'), '');
  for (const [index, model] of models.entries()) {
    const key = `sk-own-${index}-0123456789`;
    const rules = { allowed_models: [model], is_required: true };
    assert.equal((await manage('POST', '/byok', { provider: 'deepinfra', key, ...rules })).status, 200);
  }
  // Secrets stay in memory for seconds: each rotation meets ten that were never opened.
  let reach = 10;
  let running = true;
  const own = () => new Set(upstream.requests.map(({ headers }) => headers.authorization));
  const load = async (turn: number) => {
    for (; running; turn += 1) {
      const index = turn % reach;
      const response = await gateway.post({ model: models[index], input: 'Hi', stream: turn % 2 === 0 });
      assert.equal(response.status, 200, await response.clone().text());
      assert.match(await response.text(), /"is_byok":true/);
    }
  };
  const workers = [0, 3, 6, 9].map(load);
  const rotate = async () => {
    const written = { out: '', err: '' };
    const code = await runCommandLine(['secrets', 'rotate'], {
      env: { HEADGATE_DATA_DIR: folder },
      cwd: folder,
      stdout: (text) => {
        written.out += text;
      },
      stderr: (text) => {
        written.err += text;
      },
      openStorage: (config) => openStorage(config.database.url),
      openCredentials: async (config, storage) => openCredentialTools(config, storage),
      openDatabaseTools: async () => databaseTools,
      serve: async () => 0,
      clock: { now: Date.now },
    });
    assert.deepEqual([code, written.err], [0, '']);
    assert.match(written.out, /^40 secret\(s\) encrypted/);
  };
  try {
    for (let round = 1; round <= 3; round += 1) {
      const rotating = rotate();
      reach += 10;
      await rotating;
      while (own().size < reach)
        await Promise.race([...workers, new Promise((done) => setTimeout(done, 10))]);
    }
  } finally {
    running = false;
    await Promise.all(workers);
  }
  assert.equal(own().size, 40, 'every credential served');
  await stop();
  assert.ok(!existsSync(join(folder, 'master.key.lock')));
  const kept = readMasterKeys(readFileSync(join(folder, 'master.key'), 'utf8'), '');
  assert.equal(kept.length, 1);
  assert.notEqual(kept[0]?.id, first[0]?.id);

  // As the owner of the first account: the new gateway made one of its own.
  const storage = await openStorage(`sqlite:${join(folder, 'headgate.db')}`);
  const owner = (await storage.accounts.list())[0];
  const raw = createRawKey();
  const fields = {
    accountId: String(owner?.id),
    workspaceId: owner?.defaultWorkspaceId ?? null,
    createdAt: 1,
  };
  await storage.keys.create(newKey(raw, { ...fields, kind: 'inference', name: 'x' }));
  await storage.close();
  const statusUnder = async (keys: KeySource | undefined) => {
    const again = await open(t, folder, upstream, models, keys);
    const body = { model: 'acme/m5', input: 'Hi' };
    const { status } = await again.gateway.post(body, { authorization: `Bearer ${raw}` });
    await again.stop();
    return status;
  };
  assert.equal(await statusUnder(new ConfiguredKeySource(first)), 502);
  assert.equal(await statusUnder(undefined), 200);
});
