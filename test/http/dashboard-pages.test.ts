import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { buildDashboard, readBuildRecord, root } from '../../scripts/dashboard-build.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { rawRequest } from '../support/raw-request.ts';

const sandbox = providerOf({ slug: 'sandbox', name: 'Sandbox', adapter: 'sandbox' });
const models = [modelOf('sandbox/echo', [sandbox])];
let gateway: TestGateway;

before(async () => {
  await buildDashboard();
  gateway = await startGateway({ models });
});

after(() => gateway.stop());

const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; manifest-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
};

/** Every file that the shell or a file it loads names. */
function assetNames(): readonly string[] {
  return Object.keys(readBuildRecord()?.sizes ?? {});
}

test('every page is the same small shell, with headers that let it load its own files only', async () => {
  const bodies = new Set<string>();
  for (const path of ['/', '/ui/requests', '/ui/requests/gen-1', '/ui/models/acme%2Fatlas-4']) {
    const answer = await fetch(gateway.url + path);
    assert.equal(answer.status, 200, path);
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(answer.headers.get('cache-control'), 'no-cache');
    for (const [name, value] of Object.entries(pageHeaders))
      assert.equal(answer.headers.get(name), value, name);
    assert.equal(answer.headers.get('access-control-allow-origin'), null);
    bodies.add(await answer.text());
  }
  assert.equal(bodies.size, 1);
  const [shell = ''] = bodies;
  assert.doesNotMatch(shell, /<script(?![^>]*src=)|<style|style=|onload=/, 'nothing inline');
});

test('a shell that has not changed is not sent again', async () => {
  const first = await fetch(gateway.url);
  const etag = first.headers.get('etag') ?? '';
  const second = await fetch(gateway.url, { headers: { 'if-none-match': etag } });
  assert.equal(second.status, 304);
  assert.equal((await second.text()).length, 0);
});

test('assets are kept for ever, and compressed as the browser likes', async () => {
  assert.ok(assetNames().length > 5);
  for (const name of assetNames()) {
    const plain = readFileSync(join(root, 'dist/dashboard/assets', name));
    for (const [accepted, decode] of [
      ['br, gzip', brotliDecompressSync],
      ['gzip', gunzipSync],
      ['identity', (bytes: Buffer) => bytes],
    ] as const) {
      const { status, headers, body } = await rawRequest(`${gateway.url}/ui/assets/${name}`, {
        'accept-encoding': accepted,
      });
      assert.equal(status, 200, name);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(headers['content-security-policy'], pageHeaders['content-security-policy']);
      const bytes = headers['content-encoding'] === undefined ? body : decode(body);
      assert.deepEqual(bytes, plain, `${name} as ${accepted}`);
    }
  }
});

test('an unknown asset is 404, never the shell', async () => {
  for (const name of ['none.js', '..%2Findex.html', 'build.json']) {
    const answer = await fetch(`${gateway.url}/ui/assets/${name}`);
    assert.equal(answer.status, 404, name);
    assert.match(answer.headers.get('content-type') ?? '', /json/);
  }
});

test('the licences of all that is bundled go with the pages', () => {
  const text = readFileSync(join(root, 'dist/dashboard/licenses.txt'), 'utf8');
  for (const name of [
    'preact',
    '@preact/signals-core',
    '@tanstack/query-core',
    'd3-scale',
    'd3-array',
    'd3-shape',
    'marked',
    '@cfworker/json-schema',
  ]) {
    assert.match(text, new RegExp(`^${name} \\d.*\\((MIT|ISC)\\)$`, 'm'), name);
  }
});

test('no file names another host', () => {
  for (const name of assetNames()) {
    const text = readFileSync(join(root, 'dist/dashboard/assets', name), 'utf8');
    const hosts = [...text.matchAll(/https?:\/\/[\w.-]+(?:\/\w+)?/g)].map(([host]) => host);
    // Names of XML's own, the base of schemas without an id, and addresses in texts.
    const others = hosts.filter(
      (host) => !/www\.w3\.org|github\.com\/(?:cfworker|markedjs)|localhost/.test(host),
    );
    assert.deepEqual(others, [], name);
  }
});

/** These scripts and all that they import as they are loaded. */
function neededBy(names: readonly string[]): ReadonlySet<string> {
  const needed = new Set(names);
  for (const name of needed) {
    const text = readFileSync(join(root, 'dist/dashboard/assets', name), 'utf8');
    for (const [, other = ''] of text.matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g))
      needed.add(other);
  }
  return needed;
}

test('the pages stay small', () => {
  const record = readBuildRecord();
  assert.ok(record !== undefined);
  const { sizes, initial } = record;
  const all = Object.entries(sizes);
  const sum = (entries: typeof all, kind: 'plain' | 'gzip') =>
    entries.reduce((total, [, size]) => total + size[kind], 0);
  const first = neededBy([...initial, ...assetNames().filter((name) => /^overview-page.*js$/.test(name))]);
  assert.ok(first.size > initial.length + 1);
  const before = sum(
    all.filter(([name]) => first.has(name)),
    'gzip',
  );
  assert.ok(before <= 120_000, `${before} bytes of scripts until the overview works`);
  for (const [name, { gzip }] of all) {
    if (!initial.includes(name)) assert.ok(gzip <= 40_000, name);
  }
  assert.ok(
    sum(
      all.filter(([name]) => name.endsWith('.css')),
      'gzip',
    ) <= 25_000,
    'styles',
  );
  assert.ok(sum(all, 'plain') <= 700_000, 'everything');
});

test('behind a trusted proxy the base is where the proxy serves it; nobody else decides it', async () => {
  const base = async (headers: Record<string, string>) =>
    /<base href="([^"]*)"/.exec(await (await fetch(gateway.url, { headers })).text())?.[1];
  const prefix = { 'x-forwarded-prefix': '/gateway/' };
  assert.equal(await base(prefix), '/ui/');
  gateway.setServer({ trustProxy: true });
  assert.equal(await base(prefix), '/gateway/ui/');
  assert.equal(await base({ 'x-forwarded-prefix': '/"><script>' }), '/ui/');
  gateway.setServer({ trustProxy: false });
});

test('without the dashboard there is nothing at its paths', async () => {
  const off = await startGateway({ models, server: { dashboard: disabled() } });
  try {
    for (const path of ['/', '/ui/requests', '/ui/session', '/ui/api/key', `/ui/assets/${assetNames()[0]}`]) {
      assert.equal((await fetch(off.url + path)).status, 404, path);
    }
  } finally {
    await off.stop();
  }
});

function disabled() {
  const session = { idle: 1, max: 1, keyIdle: 1, keyMax: 1 };
  return { enabled: false, readOnly: false, allowInsecureHttp: false, operatorAccounts: [], session };
}
