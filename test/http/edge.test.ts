import assert from 'node:assert/strict';
import { request as httpRequest, type RequestOptions } from 'node:http';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { hashKey } from '../../src/core/api-key.ts';
import type { NanoUsd } from '../../src/core/money.ts';
import { toolKinds } from '../../src/dialects/gateway/tools/tool-kinds.ts';
import { itemKinds } from '../../src/dialects/responses/request/items/item-kinds.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { malformedBodies } from '../generators/malformed-bodies.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract, checkContractAt } from '../support/contract.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { roomInWindow } from '../support/windows.ts';

let upstream: FakeUpstream;
let gateway: TestGateway;
const limit = 2 * 1024 * 1024;

before(async () => {
  upstream = await startFakeUpstream({ steps: chatStream('Good ', 'day.') });
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  gateway = await startGateway({
    models: [modelOf('acme/atlas-4', [north]), modelOf('acme/atlas-4:free', [north])],
    server: { bodyLimit: limit, corsOrigins: ['https://app.example'] },
  });
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

interface Problem {
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly metadata: Record<string, unknown>;
  };
}

test('a session in a header has as many characters as one in the body, whatever bytes they take', async () => {
  const ask = async (sessionId: string) => {
    const response = await gateway.post(JSON.stringify({ model: 'acme/atlas-4', input: 'Hi' }), {
      'x-session-id': Buffer.from(sessionId).toString('latin1'),
    });
    const { error } = (await response.json()) as { error: { message: string } | null };
    return [response.status, error?.message];
  };
  assert.deepEqual(await ask(`${'潮'.repeat(255)}🌊`), [200, undefined]);
  const message = 'x-session-id: must be at most 256 characters, got 257';
  assert.deepEqual(await ask('潮'.repeat(257)), [400, message]);
});

test('a key that is missing, malformed, unknown, disabled, expired or deleted gets 401 before the body is read', async () => {
  const disabled = await gateway.createKey({ disabled: true });
  const expired = await gateway.createKey({ expiresAt: Date.now() - 1 });
  const deleted = await gateway.createKey();
  await gateway.storage.keys.delete(hashKey(deleted), Date.now());
  const headers = [
    '',
    'Bearer',
    'Bearer ',
    'Basic abc',
    gateway.key,
    `Bearer ${'x'.repeat(5_000)}`,
    'Bearer sk-hg-v1-00',
  ];
  for (const authorization of [...headers, `Bearer ${disabled}`, `Bearer ${expired}`, `Bearer ${deleted}`]) {
    const response = await gateway.post('{ not json', { authorization });
    const body = (await response.json()) as Problem;
    checkContract('UnauthorizedResponse', body);
    assert.equal(response.status, 401, authorization.slice(0, 40));
    assert.equal(body.error.metadata.error_type, 'authentication');
    assert.doesNotMatch(JSON.stringify(body), /sk-hg-v1-[0-9a-f]{6}/);
  }
});

test('a management key runs no inference, whatever the body', async () => {
  const key = await gateway.createKey({ kind: 'management' });
  const headers = { authorization: `bearer  ${key}` };
  for (const body of [JSON.stringify({ model: 'acme/atlas-4', input: 'Hi' }), '{ not json', '']) {
    for (const path of ['/responses', '/responses/plan']) {
      const response = await fetch(`${gateway.url}/api/v1${path}`, { method: 'POST', headers, body });
      assert.equal(response.status, 403, `${path} ${body}`);
      checkContract('ForbiddenResponse', await response.json());
    }
  }
});

test('disabling a key acts on running servers', async () => {
  const key = await gateway.createKey();
  const authorization = `Bearer ${key}`;
  assert.equal((await gateway.get('/api/v1/key', { authorization })).status, 200);
  await gateway.storage.keys.update(hashKey(key), { disabled: true }, Date.now());
  const began = performance.now();
  // When a request is sent counts: its answer may take long on a busy machine.
  for (let asked = began; ; asked = performance.now()) {
    if ((await gateway.get('/api/v1/key', { authorization })).status === 401) return;
    assert.ok(asked - began < 5_000, 'the key still works after 5 s');
    await sleep(100);
  }
});

test('a key disabled or deleted while its request is on its way is of no use', async () => {
  const boss = await gateway.createKey({ kind: 'management', workspaceId: null });
  const body = JSON.stringify({ model: 'acme/atlas-4', input: 'Hello' });
  const end = { disable: ['PATCH', '{"disabled":true}'], delete: ['DELETE', undefined] } as const;
  for (const path of ['/responses', '/responses/plan']) {
    for (const [method, change] of Object.values(end)) {
      const key = await gateway.createKey();
      const headers = {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        expect: '100-continue',
      };
      const request = httpRequest(`${gateway.url}/api/v1${path}`, { method: 'POST', headers });
      const status = new Promise((resolve, reject) => {
        request.once('error', reject).once('response', (response) => {
          response.resume();
          resolve(response.statusCode);
        });
      });
      // The server has read the headers by then, and let the key in.
      await new Promise<void>((resolve) => {
        request.once('continue', resolve).flushHeaders();
      });
      request.write(body.slice(0, 5));
      const changed = await fetch(`${gateway.url}/api/v1/keys/${hashKey(key)}`, {
        method,
        headers: { authorization: `Bearer ${boss}`, 'content-type': 'application/json' },
        body: change,
      });
      assert.equal(changed.status, 200);
      request.end(body.slice(5));
      assert.equal(await status, 401, `${method} ${path}`);
    }
  }
});

test('what a refusal quotes from a body is told its author and not the log', async () => {
  const secret = 'Dear diary, "nobody" may read this';
  const parts = [{ type: 'input_image', image_url: secret }];
  const bodies = [
    { model: 'acme/atlas-4', input: 'Hi', truncation: secret },
    { model: 'acme/atlas-4', input: 'Hi', metadata: { [secret]: 1 } },
    { model: 'acme/atlas-4', input: [{ role: 'user', content: parts }] },
    { model: 'acme/atlas-4', input: 'Hi', tool_choice: { type: 'function', name: secret } },
  ];
  const before = gateway.log.length;
  for (const body of bodies) {
    const response = await gateway.post(body);
    assert.ok([400, 422].includes(response.status));
    assert.match(((await response.json()) as Problem).error.message, /Dear diary/);
  }
  const lines = gateway.log.slice(before);
  assert.equal(lines.length, bodies.length);
  for (const line of lines) assert.doesNotMatch(line, /diary|nobody|read/);
  assert.match(lines[0] ?? '', /truncation: must be/);
});

test('a key that stands in a path, or where a model belongs, is not in the log', async () => {
  const before = gateway.log.length;
  const refused = [
    await gateway.get(`/api/v1/keys/${gateway.key}`),
    await gateway.get(`/api/v1/models/${gateway.key}/endpoints?key=${gateway.key}`),
    await gateway.get(`/${gateway.key}`),
    await gateway.post({ model: gateway.key, input: 'Hi' }),
  ];
  for (const response of refused) assert.ok([400, 403, 404].includes(response.status));
  const lines = gateway.log.slice(before);
  assert.equal(lines.length, refused.length);
  for (const line of lines) assert.ok(!line.includes(gateway.key), line.replaceAll(gateway.key, 'KEY'));
  assert.match(lines[0] ?? '', /"path":"\/api\/v1\/keys\/sk-hg-v1-\w{3}\.\.\.\w{3}"/);
});

test('bodies that are no JSON object, too large or empty are refused by name', async () => {
  const cases: [string | Uint8Array, number, RegExp][] = [
    ['', 400, /^body: is empty/],
    ['{"model":', 400, /^body: is not valid JSON/],
    ['[1]', 400, /object/],
    ['"text"', 400, /object/],
    ['null', 400, /object/],
    [Buffer.from([0xff, 0xfe, 0x00]), 400, /^body: is not valid JSON/],
    [Buffer.from('{"model":"acme/atlas-4","input":"Grüße"}', 'latin1'), 400, /it is not UTF-8/],
    [
      JSON.stringify({ model: 'acme/atlas-4', input: 'x'.repeat(limit) }),
      413,
      /larger than the 2097152 bytes/,
    ],
    [`{"input":[${'{},'.repeat(limit / 4)}1]}`, 413, /more than the 1000000 values/],
    [JSON.stringify({ model: 'acme/nothing', input: 'Hi' }), 400, /"acme\/nothing" does not exist/],
  ];
  for (const [body, status, message] of cases) {
    const response = await gateway.post(body);
    const problem = (await response.json()) as Problem;
    assert.equal(response.status, status, String(body).slice(0, 30));
    assert.match(problem.error.message, message);
  }
  assert.doesNotMatch(gateway.log.join('\n'), /xxxxxx/, 'a prompt reached the log');
});

test('a byte order mark before a body, as some editors write one, is no part of it', async () => {
  const ask = async (body: string) => (await (await gateway.post(body)).json()) as Problem;
  const { error } = await ask('\ufeff{"model":"acme/nothing","input":"Hi"}');
  assert.match(error.message, /"acme\/nothing" does not exist/);
  assert.match((await ask('\ufeff')).error.message, /^body: is not valid JSON/);
  assert.match((await ask('\ufeff\ufeff{}')).error.message, /^body: is not valid JSON/);
});

test('2,000 malformed or out-of-bound bodies get a 4xx that names the place', async () => {
  let sent = 0;
  await fc.assert(
    fc.asyncProperty(malformedBodies, async ({ body, path }) => {
      sent += 1;
      const response = await gateway.post(body);
      const problem = (await response.json()) as Problem;
      assert.ok(
        response.status === 400 || response.status === 422,
        `${response.status}: ${JSON.stringify(problem)}`,
      );
      checkContract('BadRequestResponse', problem);
      assert.ok(
        problem.error.message.startsWith(path),
        `${problem.error.message} does not begin with ${path}`,
      );
    }),
    { numRuns: 2_000, endOnFailure: true },
  );
  assert.equal(sent, 2_000);
});

test('the key tells the truth about what it spent', async () => {
  await roomInWindow('day', 30_000);
  const key = await gateway.createKey({
    limit: 1_000_000_000n as NanoUsd,
    limitReset: 'monthly',
    expiresAt: Date.now() + 3_600_000,
  });
  const authorization = `Bearer ${key}`;
  for (let count = 0; count < 3; count += 1) {
    const response = await gateway.post({ model: 'acme/atlas-4', input: 'Hello' }, { authorization });
    assert.equal(response.status, 200);
  }
  const body = (await (await gateway.get('/api/v1/key', { authorization })).json()) as {
    data: Record<string, unknown>;
  };
  checkContractAt('/paths/~1key/get/responses/200/content/application~1json/schema', body);
  const spent = 0.000171;
  for (const name of ['usage', 'usage_daily', 'usage_weekly', 'usage_monthly'])
    assert.equal(body.data[name], spent);
  assert.equal(body.data.limit_remaining, 1 - spent);
  assert.equal(body.data.byok_usage, 0);
  assert.match(String(body.data.expires_at), /^\d{4}-\d\d-\d\dT.*Z$/);
});

test('the key counts the free requests of its whole account', async () => {
  await roomInWindow('day', 30_000);
  const key = await gateway.createKey();
  for (const authorization of [`Bearer ${key}`, `Bearer ${gateway.key}`]) {
    const response = await gateway.post({ model: 'acme/atlas-4:free', input: 'Hello' }, { authorization });
    await response.json();
  }
  const body = (await (await gateway.get('/api/v1/key')).json()) as { data: Record<string, unknown> };
  assert.deepEqual(body.data.free_model_daily_requests, { used: 2, limit: 50, remaining: 48 });
});

test('a used-up key limit is refused with its source and remedy', async () => {
  const key = await gateway.createKey({ limit: 50_000n as NanoUsd });
  const authorization = `Bearer ${key}`;
  const first = await gateway.post({ model: 'acme/atlas-4', input: 'Hello' }, { authorization });
  assert.equal(first.status, 200, 'the limit may be overshot by what already runs');
  await first.json();
  const second = await gateway.post({ model: 'acme/atlas-4', input: 'Hello' }, { authorization });
  assert.equal(second.status, 402);
  assert.equal(second.headers.get('retry-after'), null);
  const problem = (await second.json()) as Problem;
  checkContract('PaymentRequiredResponse', problem);
  assert.equal(problem.error.metadata.limit_source, 'service_key_limit');
  assert.equal(typeof problem.error.metadata.remedy_hint, 'string');
});

test('models are listed as the contract has them, without a key', async () => {
  const response = await fetch(`${gateway.url}/api/v1/models`);
  const body = (await response.json()) as { data: { id: string; pricing: { prompt: string } }[] };
  checkContract('ModelsListResponse', body);
  assert.deepEqual(
    body.data.map(({ id, pricing }) => [id, pricing.prompt]),
    [
      ['acme/atlas-4', '0.000003'],
      ['acme/atlas-4:free', '0.000003'],
      ['service/auto', '-1'],
      ['service/auto-beta', '-1'],
      ['service/free', '-1'],
    ],
  );
});

test('health says what is right', async () => {
  const live = await fetch(`${gateway.url}/health/live`);
  assert.deepEqual(await live.json(), { status: 'ok' });
  const ready = await fetch(`${gateway.url}/health/ready`);
  const { disk, ...state } = (await ready.json()) as { disk: Record<string, number> };
  assert.deepEqual(state, {
    status: 'ok',
    draining: false,
    dependencies: { database: 'ok', journal: 'ok', shared_state: 'ok' },
  });
  assert.ok((disk.database_bytes ?? 0) > 0);
  assert.equal(disk.files_bytes, 0);
});

test('the OpenAPI document holds the schemas that validate', async () => {
  const document = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as {
    openapi: string;
    paths: Record<string, unknown>;
    components: { schemas: Record<string, { properties: Record<string, unknown> }> };
  };
  assert.equal(document.openapi, '3.1.0');
  assert.ok('max_output_tokens' in (document.components.schemas.ResponsesRequest?.properties ?? {}));
  const text = JSON.stringify(document);
  for (const kind of [...itemKinds.rows.keys(), ...toolKinds.rows.keys()])
    assert.ok(text.includes(`"${kind}"`), kind);
});

test('what the server sends fits its own OpenAPI document', async () => {
  const document = await (await fetch(`${gateway.url}/openapi.json`)).json();
  const ajv = new Ajv2020({ strict: false });
  ajv.addSchema(document as object, 'own');
  const check = (name: string, value: unknown) => {
    const fits = ajv.validate({ $ref: `own#/components/schemas/${name}` }, value);
    assert.ok(fits, `${name}: ${ajv.errorsText()}`);
  };
  check('Response', await (await gateway.post({ model: 'acme/atlas-4', input: 'Hello' })).json());
  check('KeyInformation', await (await gateway.get('/api/v1/key')).json());
  check('ModelList', await (await gateway.get('/api/v1/models')).json());
  check('Error', await (await gateway.post({})).json());
});

test('what is not there is 404, another method 405, and an origin outside the list 400', async () => {
  assert.equal((await gateway.get('/api/v1/nothing')).status, 404);
  for (const [method, path, allow] of [
    ['GET', '/api/v1/chat/completions', 'POST'],
    ['PUT', '/api/v1/keys/abc', 'GET, PATCH, DELETE, HEAD'],
    ['OPTIONS', '/health/live', 'GET, HEAD'],
  ] as const) {
    const refused = await fetch(gateway.url + path, { method });
    assert.equal(refused.status, 405);
    assert.equal(refused.headers.get('allow'), allow);
    const { error } = (await refused.json()) as Problem;
    assert.equal(error.metadata.error_type, 'invalid_request');
    assert.equal(error.message, `There is no ${method} at ${path}, but ${allow}.`);
  }
  assert.equal((await originStatus('https://evil.example')).status, 400);
  const allowed = await originStatus('https://app.example');
  assert.equal(allowed.status, 200);
  assert.equal(allowed.origin, 'https://app.example');
});

test('where nothing is, no body is waited for: anybody could send one', { timeout: 30_000 }, async ({
  signal,
}) => {
  const headers = { 'content-type': 'application/json', 'content-length': 1_000 };
  for (const [method, path, expected] of [
    ['POST', '/nothing', 404],
    ['PUT', '/api/v1/responses', 405],
    ['POST', '/health/live', 405],
  ] as const) {
    const { status, body } = await answerWithoutBody(method, path, { headers, signal });
    assert.equal(status, expected);
    assert.match(body, new RegExp(`There is no(thing at)? ${method} (at )?${path}`));
  }
});

test('a path that cannot be read is refused as everything is', async () => {
  for (const path of ['/%', '/api/v1/models/%E0%A4%A/b/endpoints']) {
    const response = await gateway.get(path);
    checkContract('BadRequestResponse', await response.json());
    assert.equal(response.status, 400);
    assert.match(response.headers.get('x-request-id') ?? '', /^gen-/);
  }
});

test('a name that is too long for anything is not there, for those who may ask', async () => {
  const boss = await gateway.createKey({ kind: 'management', workspaceId: null });
  const long = 'a'.repeat(5_000);
  for (const path of [`keys/${long}`, `byok/${long}`, `workspaces/${long}`, `models/${long}/b/endpoints`]) {
    const authorization = `Bearer ${boss}`;
    const response = await gateway.get(`/api/v1/${path}`, { authorization });
    assert.equal(response.status, 404, path.slice(0, 20));
    checkContract('NotFoundResponse', await response.json());
  }
  assert.equal((await gateway.get(`/api/v1/keys/${long}`, { authorization: 'Bearer none' })).status, 401);
});

/** The answer to a request whose body is announced and never sent. */
function answerWithoutBody(
  method: string,
  path: string,
  options: RequestOptions,
): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(gateway.url + path, { ...options, method }, async (response) => {
      const parts: Buffer[] = [];
      for await (const part of response) parts.push(part);
      request.destroy();
      resolve({ status: response.statusCode, body: Buffer.concat(parts).toString() });
    });
    request.on('error', reject);
    request.flushHeaders();
  });
}

/** fetch does not let a program set Origin. */
function originStatus(origin: string): Promise<{ status: number | undefined; origin: string | undefined }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${gateway.url}/api/v1/models`, { headers: { origin } }, (response) => {
      response.resume();
      resolve({ status: response.statusCode, origin: response.headers['access-control-allow-origin'] });
    });
    request.on('error', reject);
    request.end();
  });
}
