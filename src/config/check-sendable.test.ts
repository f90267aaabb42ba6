import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import type { Environment } from '../util/environment.ts';
import { loadConfig } from './load-config.ts';

const folder = temporaryFolder();

async function load(providers: object, environment: Environment = {}) {
  await writeFile(join(folder, 'headgate.yaml'), JSON.stringify({ providers }));
  return loadConfig({ environment, directory: folder });
}

async function keyOf(slug: string, providers: object, environment: Environment = {}) {
  const { config, warnings } = await load(providers, environment);
  assert.deepEqual(warnings, []);
  return config.catalogue.providers.get(slug)?.apiKey?.reveal();
}

async function mistakes(providers: object, environment: Environment = {}): Promise<readonly string[]> {
  const failure = await load(providers, environment).then(
    () => assert.fail('the configuration was accepted'),
    (error: unknown) => error,
  );
  assert.ok(failure instanceof Error && failure.name === 'ConfigError', String(failure));
  return failure.message.split('\n');
}

const acme = { adapter: 'openai-chat', base_url: 'http://127.0.0.1:9/v1' };
const rest =
  'the key has characters that no header carries; allowed: the key alone, on one line; correct the key';

test('what stands around a credential in a file or a variable is none of it', async () => {
  const written = '\uFEFF sk-0123456789 \r\n\n';
  await writeFile(join(folder, 'key'), written);
  assert.equal(await keyOf('acme', { acme: { ...acme, api_key_file: 'key' } }), 'sk-0123456789');
  const name = `\${KEY}`;
  assert.equal(await keyOf('acme', { acme: { ...acme, api_key: name } }, { KEY: written }), 'sk-0123456789');
  assert.equal(await keyOf('openai', {}, { OPENAI_API_KEY: 'sk-0123456789\r' }), 'sk-0123456789');
  assert.equal(await keyOf('openai', {}, { OPENAI_API_KEY: ' \r' }), undefined);
});

test('a credential no header carries stops the start, wherever it comes from, and is not shown', async () => {
  const environment = { KEY: 'sk-secret\nsk-secret', OPENAI_API_KEY: 'sk-secret-漢' };
  const lines = await mistakes({ acme: { ...acme, api_key: `\${KEY}` } }, environment);
  assert.deepEqual(lines, [
    `environment OPENAI_API_KEY: providers.openai.api_key: ${rest}`,
    `headgate.yaml:1: providers.acme.api_key: ${rest}`,
  ]);
  const own = { openai: { api_key: 'sk-own' }, mistral: { enabled: false } };
  await load(own, { OPENAI_API_KEY: 'sk-secret-漢', MISTRAL_API_KEY: 'sk-\nsecret' });
});

test('a structured credential may have lines, for it is taken apart', async () => {
  const key = '[\n  { "resource_name": "acme", "api_key": "k" }\n]';
  assert.equal(await keyOf('azure', { azure: { api_key: `\${KEY}` } }, { KEY: key }), key);
});

test('a header that no request can have stops the start', async () => {
  const headers = {
    'x team': 'a',
    'Content-Length': '5',
    'x-odd': 'a\nb',
    'x-fine': 'Zürich',
    host: 'acme.example',
  };
  assert.deepEqual(await mistakes({ acme: { ...acme, headers } }), [
    "headgate.yaml:1: providers.acme.headers.x team: the name is none of a header; allowed: letters, digits and any of !#$%&'*+-.^_`|~; rename it",
    'headgate.yaml:1: providers.acme.headers.Content-Length: the header belongs to the connection; allowed: any but connection, content-length, expect, keep-alive, te, trailer, transfer-encoding, upgrade; remove it',
    'headgate.yaml:1: providers.acme.headers.x-odd: the value has characters that no header carries; allowed: one line of Latin letters, digits and signs; correct the value',
  ]);
});
