import cluster from 'node:cluster';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { leavePort } from '../../src/workers/leave-port.ts';
import { superviseWorkers } from '../../src/workers/supervise.ts';
import { findSupervisor } from '../../src/workers/supervised.ts';

/*
 * A small server with the real supervisor, for its tests: `supervised-server.ts PORT WORKERS DRAIN_MS`; port 0 is a
 * free one, which it tells. `GET /` tells the process; `GET /slow` writes a word every 20 ms, 50 times;
 * `GET /metrics` tells what all workers told of a metric that is each one's process id. The file of FAIL_FILE, once
 * it is there, has workers end with code 3 before they are ready; with NEVER_READY they say "waiting" and get no
 * further. SIGWINCH has the system refuse to start processes, until the next one, and is told as "refusing".
 */
const [port = 0, workers = 1, drainTimeout = 1000] = process.argv.slice(2).map(Number);

const supervisor = findSupervisor();
if (supervisor === undefined) {
  let refusing = false;
  process.on('SIGWINCH', () => {
    refusing = !refusing;
    // No system takes an environment so large.
    if (refusing) process.env.TOO_LARGE = 'x'.repeat(2 ** 23);
    else delete process.env.TOO_LARGE;
    process.stdout.write(`${JSON.stringify({ msg: 'refusing', refusing })}\n`);
  });
  process.exitCode = await superviseWorkers({
    workers,
    drainTimeout,
    log: pino({ base: null }, pino.destination({ fd: 1, sync: true })),
    write: (lines) => process.stdout.write(lines),
    firstDelay: 20,
  });
} else {
  const { access } = await import('node:fs/promises');
  if (
    process.env.FAIL_FILE &&
    (await access(process.env.FAIL_FILE).then(
      () => true,
      () => false,
    ))
  ) {
    process.stderr.write('error: told to fail\n');
    process.exit(3);
  }
  if (process.env.NEVER_READY) await neverReady();
  await serve();
}

async function serve(): Promise<void> {
  let running = 0;
  const askAll = supervisor?.shareMetrics(async () => ({ pid: [{ labels: [], value: process.pid }] }));
  let draining = false;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    running += 1;
    response.once('close', () => {
      running -= 1;
    });
    if (draining) response.writeHead(503).end();
    else if (request.url === '/slow') await slowly(response);
    else if (request.url === '/metrics') response.end(JSON.stringify(await askAll?.()));
    else response.end(String(process.pid));
  };
  const server = createServer((request, response) => void answer(request, response));
  server.on('error', (error) => {
    process.stderr.write(`error: ${error.message}\n`);
    process.exit(1);
  });
  server.listen(port, '127.0.0.1', () => {
    const { port: taken } = server.address() as AddressInfo;
    process.stdout.write(
      `${JSON.stringify({ msg: 'listening', worker: process.pid, id: cluster.worker?.id, port: taken })}\n`,
    );
    supervisor?.ready();
  });
  const order = await supervisor?.ordered;
  if (order === 'hand over')
    // Clients of a test always come back, on a busy machine late.
    await leavePort(server, { isBusy: () => running > 0, timeout: drainTimeout, quiet: drainTimeout });
  draining = true;
  const deadline = performance.now() + drainTimeout;
  while (running > 0 && performance.now() < deadline) await sleep(10);
  server.close();
  server.closeAllConnections();
  process.channel?.unref();
}

function neverReady(): Promise<never> {
  process.stdout.write('{"msg":"waiting"}\n');
  return new Promise(() => setInterval(() => undefined, 1_000));
}

async function slowly(response: ServerResponse): Promise<void> {
  for (let word = 0; word < 50; word += 1) {
    response.write('word ');
    await sleep(20);
  }
  response.end('[DONE]');
}
