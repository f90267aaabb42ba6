import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { checkContract } from '../support/contract.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { parseStream, textOf } from '../support/read-stream.ts';
import { readBooks } from './support/books.ts';
import { testOnSqlite } from './support/engines.ts';
import { type GatewayProcess, newDirectory, startGateway } from './support/gateway-process.ts';
import { folderEnvironment, headgateCommand, startProgram, untilFinished } from './support/programs.ts';

const words = 120;
/** At this pace `words` words take six seconds. */
const slowly = 'providers: { sandbox: { tokens_per_second: 20 } }\n';
const slowRequest = { model: 'sandbox/lorem', input: 'x', max_output_tokens: words };
const endlessRequest = { ...slowRequest, max_output_tokens: 16_000 };

test('after SIGTERM running answers finish, new requests are sent away, and it ends well', async () => {
  await using gateway = await startGateway({ config: slowly });
  const whole = gateway.post(slowRequest).then(bodyOf).then(textOf);
  const stream = await openStream(gateway, slowRequest);
  // Several words, so that the other request, sent before, runs as well.
  for (let count = 0; count < 5; count += 1) await stream.read();
  gateway.program.child.kill('SIGTERM');
  await gateway.logged('stopping: running requests may finish');
  const ready = await fetch(`${gateway.url}/health/ready`);
  assert.equal(ready.status, 503);
  assert.equal((await bodyOf(ready)).draining, true);
  const refused = await gateway.post({ model: 'sandbox/echo', input: 'late' });
  assert.equal(refused.status, 503);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  checkContract('ServiceUnavailableResponse', await bodyOf(refused));
  const { terminal } = parseStream(await stream.rest());
  assert.equal(terminal.status, 'completed');
  assert.equal(textOf(terminal).split(' ').length, words);
  assert.equal((await whole).split(' ').length, words);
  const { code } = await untilFinished(gateway.program);
  assert.equal(code, 0);
  assert.deepEqual(
    (await readBooks(gateway.directory)).map(({ finishReason, output }) => [finishReason, output]),
    [
      ['stop', words],
      ['stop', words],
    ],
  );
});

test('Ctrl-C stops it like SIGTERM, at once when nothing runs', async () => {
  await using gateway = await startGateway();
  assert.equal((await gateway.post({ model: 'sandbox/echo', input: 'x' })).status, 200);
  assert.equal((await gateway.end('SIGINT')).code, 0);
});

test('a second signal ends it at once', async () => {
  await using gateway = await startGateway({ config: slowly });
  const stream = await openStream(gateway, endlessRequest);
  await stream.read();
  gateway.program.child.kill('SIGTERM');
  await gateway.logged('stopping: running requests may finish');
  const { code } = await gateway.end('SIGTERM');
  assert.equal(code, 1);
  await assert.rejects(stream.rest(), 'the stream went with it');
});

test('when the drain timeout is over, what still runs is told so and settled', async () => {
  await using gateway = await startGateway({ config: `${slowly}server: { drain_timeout: 300ms }\n` });
  const stream = await openStream(gateway, endlessRequest);
  await stream.read();
  const { code } = await gateway.end();
  assert.equal(code, 0);
  const { terminal } = parseStream(await stream.rest());
  assert.equal(terminal.status, 'failed');
  assert.equal(terminal.error_type, 'server');
  const [booked, ...more] = await readBooks(gateway.directory);
  assert.equal(booked?.id, stream.id);
  assert.equal(booked.errorType, 'server');
  assert.equal(more.length, 0);
});

test('signals that ask a running server for something do not end one that starts', async (t) => {
  // A database that takes connections and says nothing holds up the start for seconds.
  const database = createServer().listen(0, '127.0.0.1');
  t.after(() => database.close());
  await once(database, 'listening');
  const { port } = database.address() as AddressInfo;
  const directory = newDirectory();
  t.after(() => rm(directory, { recursive: true, force: true }));
  const program = startProgram(headgateCommand(), ['serve', '--port', '0'], {
    cwd: directory,
    env: await folderEnvironment(directory, {
      HEADGATE_DATABASE_URL: `postgres://nobody@127.0.0.1:${port}/none`,
    }),
  });
  const [socket]: Socket[] = await once(database, 'connection');
  t.after(() => socket?.destroy());
  program.child.kill('SIGHUP');
  program.child.kill('SIGUSR2');
  const { code, stderr } = await untilFinished(program);
  assert.equal(code, 1);
  assert.match(stderr, /^error: [^\n]*database[^\n]*\n$/);
});

testOnSqlite('a stop that comes while the first keys are made waits until they are told', async () => {
  const directory = newDirectory();
  const env = await folderEnvironment(directory);
  const port = await freePort();
  // What else a server stores before it listens is there already: only the keys are made anew.
  const before = await startGateway({ directory });
  await before.end();
  const told = join(directory, '.headgate/first-start.txt');
  await rm(told);
  const books = new DatabaseSync(join(directory, '.headgate/headgate.db'));
  try {
    books.exec("delete from api_keys where kind = 'management'");
    books.exec('begin immediate');
    const program = startProgram(headgateCommand(), ['serve', '--port', String(port)], {
      cwd: directory,
      env,
    });
    await eventually('a listener', async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/health/live`).catch(() => undefined);
      return answer?.ok === true || undefined;
    });
    program.child.kill('SIGTERM');
    books.exec('commit');
    const { code, stderr } = await untilFinished(program);
    assert.equal(code, 0, stderr);
    assert.match(readFileSync(told, 'utf8'), /Management key/);
  } finally {
    books.close();
    await rm(directory, { recursive: true, force: true });
  }
});

async function bodyOf(response: Response): Promise<Record<string, unknown>> {
  return (await response.json()) as Record<string, unknown>;
}

/** Begins to read a streamed answer; `rest` gives all of it, what was read before included. */
async function openStream(gateway: GatewayProcess, body: object) {
  const response = await gateway.post({ ...body, stream: true });
  assert.equal(response.status, 200);
  assert.ok(response.body !== null);
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  const read = async () => {
    const { done, value } = await reader.read();
    if (value !== undefined) chunks.push(value);
    return !done;
  };
  return {
    id: response.headers.get('x-generation-id'),
    read,
    rest: async () => {
      while (await read());
      return Buffer.concat(chunks).toString();
    },
  };
}
