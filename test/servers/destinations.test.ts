import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { before, describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import { startBroadcasting } from '../support/destination-backend.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const packages = ['moto[server]==5.2.1', 'chdb==4.4.0', 'chdb-core==26.9.0'];
const page = 'docs/spec/destinations.md';

describe('destinations and the backends themselves', () => {
  let python = '';

  before(async () => {
    const run = promisify(execFile);
    python = (await run('scripts/python-environment.sh', ['destinations', ...packages])).stdout.trim();
  });

  test('rows arrive in the table of the engine of ClickHouse that the page makes', async (t) => {
    const folder = temporaryFolder();
    const schema = join(folder, 'schema.sql');
    const [, statement = ''] = /```sql\n(.*?)```/s.exec(readFileSync(page, 'utf8')) ?? [];
    writeFileSync(schema, statement);
    const server = begin(t, python, ['test/support/clickhouse-server.py', join(folder, 'db'), schema]);
    const port = Number(await firstLine(server));
    const host = `http://127.0.0.1:${port}`;
    const { create, ask, manage } = await startBroadcasting(t, {
      destinations: { privateHosts: [`127.0.0.1:${port}`] },
    });
    const config = { host, database: 'logs', username: 'writer', password: 'pw-secret-1' };
    const wrong = { type: 'clickhouse', name: 'x', config: { ...config, table: 'ELSEWHERE' } };
    assert.equal(
      (await manage('POST', '/observability/destinations', wrong)).status,
      400,
      'there is no such table',
    );
    await create({ type: 'clickhouse', config, broadcast_generation_cost: true });
    for (const number of [1, 2, 3])
      await ask({ input: `Hello "${number}"\n`, session_id: 's1', trace: { shop: 'north' } });
    const select = async (query: string) => {
      const answer = await fetch(`${host}/?${new URLSearchParams({ query })}`, {
        method: 'POST',
        headers: { 'x-clickhouse-user': 'writer', 'x-clickhouse-key': 'pw-secret-1' },
      });
      const lines = (await answer.text()).trim().split('\n').filter(Boolean);
      return lines.map((line) => JSON.parse(line));
    };
    const rows = await eventually('three rows', async () => {
      const found = await select('SELECT * FROM logs.SERVICE_TRACES ORDER BY started_at');
      return found.length === 3 ? found : undefined;
    });
    const [row] = rows;
    assert.equal(row.model, 'acme/atlas-4');
    assert.equal(row.session_id, 's1');
    assert.equal(row.metadata, '{"trace.metadata.shop":"north"}');
    assert.match(row.input, /Hello \\"1\\"/);
    assert.ok(Math.abs(Date.parse(`${row.started_at.replace(' ', 'T')}Z`) - Date.now()) < 3_600_000);
  });

  test('objects arrive at a server of S3, which checks their signature', async (t) => {
    const port = await freePort();
    const server = begin(t, python, ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)], {
      // Nothing is checked while the bucket and a user are made.
      INITIAL_NO_AUTH_ACTION_COUNT: '1000',
    });
    const endpoint = `http://127.0.0.1:${port}`;
    await eventually('the server', () =>
      fetch(endpoint).then(
        () => true,
        () => undefined,
      ),
    );
    assert.equal((await fetch(`${endpoint}/traces`, { method: 'PUT' })).status, 200);
    const { accessKeyId, secretAccessKey } = await makeUser(endpoint);
    await fetch(`${endpoint}/moto-api/reset-auth`, { method: 'POST', body: '0' });
    const { create, ask, manage } = await startBroadcasting(t, {
      destinations: { privateHosts: [`127.0.0.1:${port}`] },
    });
    const config = { bucketName: 'traces', accessKeyId, secretAccessKey, endpoint, prefix: 'team/a' };
    const wrong = { type: 's3', name: 'x', config: { ...config, secretAccessKey: 'another-secret-key' } };
    const refused = await manage('POST', '/observability/destinations', wrong);
    assert.equal(refused.status, 400);
    assert.match(refused.body.error.message, /status 403/);
    await create({ type: 's3', config });
    await ask('Hello');
    await fetch(`${endpoint}/moto-api/reset-auth`, { method: 'POST', body: '1000' });
    const name = await eventually('an object', async () => {
      const listed = await (await fetch(`${endpoint}/traces?list-type=2`)).text();
      return /<Key>([^<]*\.ndjson\.gz)<\/Key>/.exec(listed)?.[1];
    });
    assert.match(name, /^team\/a\/\d{4}-\d\d-\d\d\//);
    const signer = new SignatureV4({
      credentials: { accessKeyId, secretAccessKey },
      region: 'us-east-1',
      service: 's3',
      sha256: Sha256,
      uriEscapePath: false,
    });
    const { host } = new URL(endpoint);
    const address = { method: 'GET', protocol: 'http:', hostname: host, path: `/traces/${name}` };
    const { headers } = await signer.sign({ ...address, query: {}, headers: { host } });
    const stored = await fetch(`${endpoint}/traces/${name}`, { headers });
    const bytes = Buffer.from(await stored.arrayBuffer());
    const text = bytes[0] === 0x1f ? gunzipSync(bytes).toString() : bytes.toString();
    assert.equal(JSON.parse(text.trim()).resourceSpans.length, 1);
    assert.equal(server.exitCode, null);
  });
});

/** A user of the server who may write objects. */
async function makeUser(endpoint: string) {
  const call = async (parameters: Record<string, string>) => {
    const answer = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization:
          'AWS4-HMAC-SHA256 Credential=none/20260101/us-east-1/iam/aws4_request, SignedHeaders=, Signature=',
      },
      body: new URLSearchParams({ Version: '2010-05-08', ...parameters }),
    });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return text;
  };
  await call({ Action: 'CreateUser', UserName: 'writer' });
  const document = {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: 's3:*', Resource: '*' }],
  };
  await call({
    Action: 'PutUserPolicy',
    UserName: 'writer',
    PolicyName: 'write',
    PolicyDocument: JSON.stringify(document),
  });
  const made = await call({ Action: 'CreateAccessKey', UserName: 'writer' });
  const [, accessKeyId = ''] = /<AccessKeyId>([^<]+)/.exec(made) ?? [];
  const [, secretAccessKey = ''] = /<SecretAccessKey>([^<]+)/.exec(made) ?? [];
  return { accessKeyId, secretAccessKey };
}

function begin(t: TestContext, command: string, parameters: string[], env = {}): ChildProcess {
  const child = spawn(command, parameters, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  t.after(() => child.kill());
  return child;
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('It has no output.');
  for await (const line of createInterface(stdout)) return line;
  throw new Error('It ended at once.');
}
