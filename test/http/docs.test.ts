import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type ErrorCode, errorTable } from '../../src/core/errors.ts';
import { errorAdvice } from '../../src/interface/docs/docs-page.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { readElements, type WrittenElement } from '../support/read-elements.ts';

interface Operation {
  readonly operationId: string;
  readonly servers?: readonly { readonly url: string }[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

let gateway: TestGateway;
let response: Response;
let page: string;
let elements: readonly WrittenElement[];
let openApi: Document;

before(async () => {
  const sandbox = providerOf({ slug: 'north', adapter: 'sandbox' });
  gateway = await startGateway({ models: [modelOf('acme/echo', [sandbox])] });
  response = await fetch(`${gateway.url}/docs`);
  page = await response.text();
  elements = readElements(page);
  openApi = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as Document;
});

after(() => gateway.stop());

const attributes = (name: string) =>
  elements.map((element) => element.attributes.get(name)).filter((value) => value !== undefined);

/** What is written inside the element of an id, with single spaces. */
function textAt(id: string): string {
  const element = elements.find((one) => one.attributes.get('id') === id);
  assert.ok(element !== undefined, `nothing has the id ${id}`);
  return element.text.replace(/\s+/g, ' ');
}

test('anybody may read the page, and caches may keep it', async () => {
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
  assert.match(response.headers.get('cache-control') ?? '', /^public, max-age=\d+$/);
  const etag = response.headers.get('etag') ?? '';
  const again = await fetch(`${gateway.url}/docs`, { headers: { 'if-none-match': etag } });
  assert.deepEqual([again.status, await again.text()], [304, '']);
  const head = await fetch(`${gateway.url}/docs`, { method: 'HEAD' });
  assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(page)));
});

test('nothing may be loaded, run or sent from the page, and its style sheet is the one allowed', () => {
  const policy = response.headers.get('content-security-policy') ?? '';
  const styles = elements.filter(({ name }) => name === 'style');
  const hashes = styles.map(({ text }) => createHash('sha256').update(text).digest('base64'));
  assert.equal(hashes.length, 1);
  assert.ok(policy.startsWith(`default-src 'none'; style-src 'sha256-${hashes[0]}';`), policy);
  const active = ['script', 'link', 'img', 'iframe', 'form', 'object', 'base'];
  assert.deepEqual(
    elements.filter(({ name }) => active.includes(name)),
    [],
  );
  assert.deepEqual([...attributes('style'), ...attributes('src')], []);
  assert.doesNotMatch(page, /@import|url\(|\son\w+=|https?:/);
});

test('every operation is there with its method, path, summary, access, and each schema by its name', () => {
  for (const [path, methods] of Object.entries(openApi.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const text = textAt(`operation-${operation.operationId}`);
      const base = operation.servers?.[0]?.url ?? '/api/v1';
      assert.match(text, new RegExp(`${method.toUpperCase()} ${base}${path.replace(/[{}]/g, '\\$&')}\\s`));
      assert.match(text, /Needs (no|any|an inference|a management) key/);
      assert.match(text, /\s500\s/);
    }
  }
  assert.match(textAt('operation-createResponse'), /ResponsesRequest.*StreamEvent text\/event-stream/s);
  assert.match(textAt('operation-getKey'), /hash\s+path required\s+string/);
  assert.match(textAt('operation-listModels'), /sort\s+query\s+.*What has no data comes last/s);
  for (const name of Object.keys(openApi.components.schemas)) textAt(`schema-${name}`);
});

test('every event of a stream is there with when it is sent, and leads to its schema', () => {
  const { StreamEvent } = openApi.components.schemas as Record<
    string,
    { readonly oneOf: { $ref: string }[] }
  >;
  const rows = textAt('events');
  const names = StreamEvent?.oneOf.map(({ $ref }) => $ref.split('/').at(-1) ?? '') ?? [];
  assert.ok(names.length > 40);
  for (const name of names) {
    const schema = openApi.components.schemas[name] as {
      readonly description: string;
      readonly properties: { readonly type: { readonly enum: readonly string[] } };
    };
    const when = schema.description.replaceAll('`', '');
    assert.ok(rows.includes(`${schema.properties.type.enum[0]} ${when} ${name}`), name);
    assert.ok(textAt(`schema-${name}`).includes(when), name);
  }
});

test('every member of a schema is named, however deep, and of every request too', () => {
  const visit = (schema: unknown, text: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const { properties, $ref, ...others } = schema as Record<string, unknown>;
    for (const [name, member] of Object.entries(properties ?? {})) {
      assert.ok(text.includes(name), name);
      visit(member, text);
    }
    for (const other of Object.values(others)) visit(other, text);
  };
  for (const [name, schema] of Object.entries(openApi.components.schemas)) {
    visit(schema, textAt(`schema-${name}`));
  }
});

test('every error is there with its status, its type, when it happens and what to do', () => {
  for (const [code, { status, type, text }] of Object.entries(errorTable)) {
    const row = textAt(`error-${code}`);
    const advice = errorAdvice[code as ErrorCode];
    for (const part of [status, type, code, text, advice]) {
      assert.ok(row.includes(String(part)), `${code}: ${part}`);
    }
  }
  assert.match(textAt('errors'), /availability/);
});

test('every link leads somewhere, and no id is given twice', () => {
  const ids = attributes('id');
  assert.equal(new Set(ids).size, ids.length);
  const links = attributes('href');
  assert.ok(links.length > 100);
  for (const link of links) {
    assert.ok(link === '/openapi.json' || (link.startsWith('#') && ids.includes(link.slice(1))), link);
  }
});

test('the page that errors refer to is served while the server drains', async () => {
  const upstream = await startFakeUpstream();
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const models = [modelOf('acme/atlas-4', [north])];
  const draining = await startGateway({ models, server: { drainTimeout: 30_000 } });
  upstream.play({ steps: chatStream('Good ').slice(0, 2), ending: 'hang' });
  const running = await draining.post({ model: 'acme/atlas-4', input: 'Hello', stream: true });
  const stopped = draining.stop();
  for (const [path, status] of [
    ['/api/v1/models', 503],
    ['/docs', 200],
    ['/docs?from=error', 200],
    ['/openapi.json', 200],
  ] as const) {
    const answer = await fetch(draining.url + path, { headers: { connection: 'close' } });
    assert.equal(answer.status, status, path);
    await answer.text();
  }
  await running.body?.cancel();
  await stopped;
  await upstream.close();
});
