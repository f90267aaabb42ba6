import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpDriver } from '../../src/sandbox/http/http-driver.ts';
import { Secret } from '../../src/util/secret.ts';
import { smallLimits } from './bubblewrap-here.ts';
import { type SeenRequest, sendJson, startSite } from './local-site.ts';

/** What the service answers to a command. */
type Answer = (command: string) => readonly [status: number, body: unknown];

/** A service that speaks the protocol, and the driver that asks it. */
async function start(answer: Answer) {
  const site = await startSite((request, response) => {
    const { method, url, body } = request;
    if (method === 'POST' && url === '/v1/containers') return sendJson(response, { id: 'c-1' });
    if (method === 'DELETE') return sendJson(response, {});
    const [status, outcome] = answer(JSON.parse(body).command);
    if (status > 0) sendJson(response, outcome, status);
  });
  const driver = new HttpDriver({
    url: `${site.url}/v1`,
    apiKey: new Secret('remote-key'),
    limits: smallLimits,
  });
  return { site, driver, [Symbol.asyncDispose]: () => site[Symbol.asyncDispose]() };
}

const bounds = { timeout: 500, maxOutput: 10, signal: new AbortController().signal };
const asked = ({ method, url, body }: SeenRequest) => [
  method,
  url,
  body === '' ? undefined : JSON.parse(body),
];

test('containers and commands are asked for by the protocol', async () => {
  await using world = await start(() => [200, { stdout: 'x'.repeat(50), stderr: 'err', exit_code: 3 }]);
  const container = await world.driver.create();
  assert.deepEqual(await container.exec('ls', bounds), {
    stdout: 'x'.repeat(10),
    stderr: 'err',
    exitCode: 3,
  });
  await container.destroy();
  const { memory, disk, processes } = smallLimits;
  assert.deepEqual(world.site.seen.map(asked), [
    ['POST', '/v1/containers', { limits: { memory, disk, processes } }],
    ['POST', '/v1/containers/c-1/exec', { command: 'ls', timeout_ms: 500, max_output_bytes: 10 }],
    ['DELETE', '/v1/containers/c-1', undefined],
  ]);
  assert.ok(world.site.seen.every(({ headers }) => headers.authorization === 'Bearer remote-key'));
});

test('a time-out is an outcome without an exit code', async () => {
  await using world = await start(() => [200, { stdout: 'a', stderr: '', exit_code: null }]);
  const container = await world.driver.create();
  assert.equal((await container.exec('sleep 9', bounds)).exitCode, undefined);
  assert.equal(container.isAlive, true);
});

const failures: readonly (readonly [status: number, body: unknown, message: RegExp])[] = [
  [404, {}, /container is gone/],
  [500, { error: 'x' }, /answered 500/],
  [200, { stdout: 'x'.repeat(17 * 1024 * 1024) }, /answered too much/],
];
for (const [status, body, message] of failures) {
  test(`a container whose service fails is given up: ${message.source}`, async () => {
    await using world = await start(() => [status, body]);
    const container = await world.driver.create();
    await assert.rejects(container.exec('ls', bounds), message);
    assert.equal(container.isAlive, false);
  });
}

test('an aborted request gives up its container', async () => {
  await using world = await start(() => [0, undefined]);
  const container = await world.driver.create();
  await assert.rejects(container.exec('ls', { ...bounds, signal: AbortSignal.timeout(100) }));
  assert.equal(container.isAlive, false);
});

test('a service whose limits do not hold is refused', async () => {
  const said =
    'user 0\nprocesses unlimited\nmemory unlimited\ndisk 99999999999\nnetwork lo,eth0,\nroot writable\n';
  await using world = await start(() => [200, { stdout: said, stderr: '', exit_code: 0 }]);
  const { problems } = await world.driver.probe();
  assert.equal(problems.length, 10);
  assert.ok(problems.includes('there is a network: lo,eth0,'));
});
