import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { headgate } from '../../scripts/chaos/accounts.ts';
import { type Program, startProgram, untilFinished } from '../e2e/support/programs.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { type PostgresServer, startPostgres } from '../support/start-postgres.ts';
import { startRedis, type TestRedis } from '../support/start-redis.ts';

const main = join(import.meta.dirname, '../../src/main.ts');
const workers = 2;
const words = 120;
/** At 20 words a second it takes six seconds. */
const slowly = 'providers: { sandbox: { tokens_per_second: 20 } }\n';
const slowRequest = { model: 'sandbox/lorem', input: 'x', max_output_tokens: words };

let postgres: PostgresServer;
let redis: TestRedis;

before(async () => {
  [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
});

after(async () => {
  await Promise.all([postgres.stop(), redis.stop()]);
});

interface Line {
  readonly msg: string;
  readonly worker?: number;
  readonly order?: string;
  readonly code?: number | null;
}

/** `headgate serve --workers 2` on a database of its own, ready. */
async function startWorkers(t: TestContext, config = slowly) {
  const directory = mkdtempSync(join(tmpdir(), 'headgate-workers-'));
  writeFileSync(join(directory, 'headgate.yaml'), config);
  const { PATH, HOME } = process.env;
  const database = await postgres.createDatabase();
  const env = { PATH, HOME, HEADGATE_DATABASE_URL: postgres.url(database), HEADGATE_REDIS_URL: redis.url };
  const port = await freePort();
  const program = startProgram(
    process.execPath,
    [main, 'serve', '--port', String(port), '--workers', String(workers)],
    { cwd: directory, env },
  );
  t.after(async () => {
    if (program.child.exitCode === null) program.child.kill('SIGTERM');
    await untilFinished(program);
    rmSync(directory, { recursive: true });
  });
  const lines = (msg: string) => linesOf(program).filter((line) => line.msg === msg);
  const logged = (msg: string, count = 1) =>
    eventually(`"${msg}" ${count} times`, () => {
      if (program.child.exitCode !== null) throw new Error(`it ended: ${program.stdout}${program.stderr}`);
      return lines(msg).length >= count;
    });
  await logged('the workers are ready');
  // What workers write comes by other ways than the news that they are.
  await logged('ready', workers);
  const firstStart = readFileSync(join(directory, '.headgate/first-start.txt'), 'utf8');
  const key = /API key +(\S+)/.exec(firstStart)?.[1] ?? '';
  const url = `http://127.0.0.1:${port}`;
  return {
    directory,
    program,
    url,
    lines,
    logged,
    verify: () => headgate(env, directory, 'ledger', 'verify'),
    booked: () => postgres.run('select id, cost from generations', database),
    post: (body: object) =>
      fetch(`${url}/api/v1/responses`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify(body),
      }),
  };
}

function linesOf({ stdout }: Program): readonly Line[] {
  const whole = stdout.slice(0, stdout.lastIndexOf('\n') + 1);
  return whole.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]));
}

function isComplete(stream: string): boolean {
  return stream.includes('"type":"response.completed"') && stream.endsWith('data: [DONE]\n\n');
}

test('patterns of guardrails are searched in child processes of workers', async (t) => {
  const pattern = 'EMP-[0-9]+';
  const rule = { apply: { all: true }, content_filters: [{ pattern, action: 'block' }] };
  const server = await startWorkers(t, JSON.stringify({ guardrails: { rules: { staff: rule } } }));
  const ask = () => server.post({ model: 'sandbox/echo', input: 'Ask EMP-123.' });
  const statuses = await Promise.all(Array.from({ length: 12 }, async () => (await ask()).status));
  assert.deepEqual(
    statuses.filter((status) => status !== 403),
    [],
  );
});

test('one start makes one pair of keys, and every worker knows them', async (t) => {
  const { lines, post, url } = await startWorkers(t, '');
  assert.equal(lines('first start: the keys are in this file').length, 1);
  const ready = lines('ready');
  assert.equal(new Set(ready.map(({ worker }) => worker)).size, workers);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => post({ model: 'sandbox/echo', input: 'x' })),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  assert.equal((await fetch(`${url}/health/ready`)).status, 200);
});

test('a rolling restart drops no stream and refuses no request; the books have all of them', async (t) => {
  const { program, post, logged, booked, verify, lines } = await startWorkers(t);
  const streams = await Promise.all(Array.from({ length: 4 }, () => post({ ...slowRequest, stream: true })));
  const texts = streams.map((stream) => stream.text());
  program.child.kill('SIGUSR2');
  let over = false;
  const replaced = logged('all workers are replaced').then(() => {
    over = true;
  });
  const statuses: number[] = [];
  while (!over) {
    const answer = await post({ model: 'sandbox/echo', input: 'x' });
    await answer.text();
    statuses.push(answer.status);
  }
  await replaced;
  assert.deepEqual([...new Set(statuses)], [200]);
  assert.ok((await Promise.all(texts)).every(isComplete), 'a stream was cut');
  await logged('ready', 2 * workers);
  assert.equal(new Set(lines('ready').map(({ worker }) => worker)).size, 2 * workers);
  program.child.kill('SIGTERM');
  assert.equal((await untilFinished(program)).code, 0);
  assert.equal((await booked()).length, statuses.length + streams.length);
  assert.deepEqual(await verify(), { differences: [] });
});

test('a worker that is killed is replaced', async (t) => {
  const { lines, logged, post } = await startWorkers(t);
  process.kill(lines('ready')[0]?.worker ?? 0, 'SIGKILL');
  await logged('a worker ended; another one is started');
  await logged('ready', workers + 1);
  for (let turn = 0; turn < 2 * workers; turn += 1) {
    assert.equal((await post({ model: 'sandbox/echo', input: 'x' })).status, 200);
  }
});

test('a worker that cannot start ends, and another one is started until one can', async (t) => {
  const { directory, lines, logged, post, program } = await startWorkers(t);
  const config = join(directory, 'headgate.yaml');
  writeFileSync(config, 'providers: [');
  const [first, second] = lines('ready');
  process.kill(second?.worker ?? 0, 'SIGKILL');
  await logged('a worker ended; another one is started', 3);
  assert.deepEqual(
    lines('a worker ended; another one is started')
      .slice(0, 3)
      .map(({ code }) => code),
    [null, 1, 1],
  );
  assert.match(program.stderr, /headgate\.yaml:1: broken YAML/);
  assert.equal((await post({ model: 'sandbox/echo', input: 'x' })).status, 200);
  writeFileSync(config, slowly);
  await logged('ready', workers + 1);
  process.kill(first?.worker ?? 0, 'SIGKILL');
  await logged('ready', workers + 2);
  assert.equal((await post({ model: 'sandbox/echo', input: 'x' })).status, 200);
});

test('on SIGTERM streams finish, new requests are sent away, and it ends well', async (t) => {
  const { program, post, logged, url, booked } = await startWorkers(t);
  const streams = await Promise.all(Array.from({ length: 4 }, () => post({ ...slowRequest, stream: true })));
  const texts = streams.map((stream) => stream.text());
  program.child.kill('SIGTERM');
  await logged('stopping: running requests may finish', 1 + workers);
  const refused = await fetch(`${url}/api/v1/key`, { headers: { connection: 'close' } });
  assert.equal(refused.status, 503);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.ok((await Promise.all(texts)).every(isComplete));
  assert.equal((await untilFinished(program)).code, 0);
  assert.equal((await booked()).length, streams.length);
});

test('a port that is taken ends it with the one line a single process prints', async (t) => {
  const { url } = await startWorkers(t, '');
  const directory = mkdtempSync(join(tmpdir(), 'headgate-workers-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const { PATH, HOME } = process.env;
  const database = await postgres.createDatabase();
  const env = { PATH, HOME, HEADGATE_DATABASE_URL: postgres.url(database), HEADGATE_REDIS_URL: redis.url };
  const { code, stderr } = await untilFinished(
    startProgram(process.execPath, [main, 'serve', '--port', new URL(url).port, '--workers', '2'], {
      cwd: directory,
      env,
    }),
  );
  assert.equal(code, 1);
  assert.match(stderr, /^error: Port \d+ on 127\.0\.0\.1 is taken: [^\n]*--port[^\n]*\n$/);
  assert.ok(!existsSync(join(directory, '.headgate/first-start.txt')));
});

test('the metrics of all workers are told by any of them, on a port they share', async (t) => {
  const metricsPort = await freePort();
  const { post, lines } = await startWorkers(t, `server: { metrics_port: ${metricsPort} }\n`);
  // At the same time, so that each has a connection of its own and every worker gets some.
  const asked = Array.from({ length: 10 }, async () =>
    (await post({ model: 'sandbox/echo', input: 'x' })).text(),
  );
  await Promise.all(asked);
  const ids = new Set(lines('ready').map(({ worker }) => String(worker)));
  const served = /^headgate_requests_total\{status="200",error_type="none",worker="(\d+)"\} (\d+)$/gm;
  for (let turn = 0; turn < workers; turn += 1) {
    const headers = { connection: 'close' };
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { headers })).text();
    const told = [...text.matchAll(served)];
    assert.deepEqual(new Set(told.map(([, worker]) => worker)), ids);
    assert.equal(
      told.reduce((sum, [, , count]) => sum + Number(count), 0),
      10,
    );
  }
});

test('a start says that all workers together may want more connections than the database allows', async (t) => {
  const { lines } = await startWorkers(t, JSON.stringify({ database: { pool_size: 40 } }));
  const told = lines(
    'database.pool_size and 2 workers may want 82 connections, and the database allows 57: lower database.pool_size to 27 or less, or raise max_connections of the database or the limit of its user. Requests are refused where there are too few.',
  );
  assert.equal(told.length, workers);
});
