import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startProgram, untilFinished } from '../../test/e2e/support/programs.ts';
import { eventually } from '../../test/support/eventually.ts';

const script = join(import.meta.dirname, '../../test/support/supervised-server.ts');
const wordsOfSlow = 50;

interface Line {
  readonly msg: string;
  readonly worker?: number;
  readonly port?: number;
}

/** Runs the supervisor's program; it is gone when the test is over. */
function run(t: TestContext, { port = 0, workers = 3, drain = 60_000, env = {} }) {
  const program = startProgram(process.execPath, [script, String(port), String(workers), String(drain)], {
    env: { ...process.env, ...env },
  });
  t.after(async () => {
    if (program.child.exitCode === null) program.child.kill('SIGTERM');
    await untilFinished(program);
  });
  return program;
}

/** The supervisor's program, ready, and ways to look at it. */
async function startSupervised(t: TestContext, options: Omit<Parameters<typeof run>[1], 'port'> = {}) {
  const program = run(t, options);
  const lines = (msg: string) =>
    program.stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line): Line => JSON.parse(line))
      .filter((line) => line.msg === msg);
  const logged = (msg: string, count = 1) =>
    eventually(`"${msg}" ${count} times`, () => lines(msg).length >= count);
  await logged('the workers are ready');
  // A worker's lines come another way than its word that it is ready.
  await logged('listening', options.workers ?? 3);
  const url = `http://127.0.0.1:${lines('listening')[0]?.port}`;
  return {
    program,
    lines,
    logged,
    pids: () => lines('listening').map(({ worker }) => worker ?? 0),
    /** Asks on a connection of its own, or on one of an agent's. */
    ask: (path = '/', agent: Agent | false = false) => textOf(ask(url + path, agent)),
    open: (path: string) => ask(url + path, false),
  };
}

async function ask(url: string, agent: Agent | false): Promise<IncomingMessage> {
  const [response] = (await once(get(url, { agent }), 'response')) as [IncomingMessage];
  return response.setEncoding('utf8');
}

async function textOf(opening: Promise<IncomingMessage>): Promise<string> {
  let text = '';
  for await (const piece of await opening) text += piece;
  return text;
}

function isComplete(text: string): boolean {
  return text === `${'word '.repeat(wordsOfSlow)}[DONE]`;
}

test('workers share the port, and connections go to them in turn', async (t) => {
  const { ask, pids } = await startSupervised(t);
  assert.equal(new Set(pids()).size, 3);
  const counts = new Map(pids().map((pid) => [String(pid), 0]));
  for (let turn = 0; turn < 30; turn += 1) {
    const pid = await ask();
    counts.set(pid, (counts.get(pid) ?? 0) + 1);
  }
  assert.equal(counts.size, 3);
  for (const count of counts.values()) assert.ok(count >= 5, String([...counts]));
});

test('a rolling restart replaces every process, and no request notices', async (t) => {
  const { ask, open, pids, program, logged } = await startSupervised(t);
  const before = pids();
  const streams = Array.from({ length: 6 }, () => textOf(open('/slow')));
  // Clients that keep their connections ask all the time.
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  t.after(() => agent.destroy());
  let over = false;
  const clients = Array.from({ length: 4 }, async () => {
    const answers: string[] = [];
    while (!over) answers.push(await ask('/', agent));
    return answers;
  });
  program.child.kill('SIGUSR2');
  await logged('all workers are replaced');
  await logged('listening', 6);
  over = true;
  const answers = (await Promise.all(clients)).flat();
  assert.ok((await Promise.all(streams)).every(isComplete), 'a stream was cut');
  const after = pids().slice(before.length);
  assert.equal(new Set([...before, ...after]).size, 6);
  assert.ok(answers.every((pid) => [...before, ...after].map(String).includes(pid)));
  assert.ok(before.map(String).includes(answers[0] ?? ''));
  assert.ok(after.map(String).includes(await ask()));
});

test('a worker that is killed is replaced, one that dies again and again after longer waits', async (t) => {
  const { pids, lines, logged, ask } = await startSupervised(t, { workers: 2 });
  for (let death = 1; death <= 3; death += 1) {
    process.kill(pids().at(-1) ?? 0, 'SIGKILL');
    await logged('listening', 2 + death);
  }
  const ends = lines('a worker ended; another one is started') as readonly (Line & {
    readonly signal?: string;
    readonly startsIn?: number;
  })[];
  assert.deepEqual(
    ends.map(({ signal, startsIn }) => [signal, startsIn]),
    [
      ['SIGKILL', 0],
      ['SIGKILL', 20],
      ['SIGKILL', 40],
    ],
  );
  assert.ok(
    pids()
      .map(String)
      .includes(await ask()),
  );
});

test('on SIGTERM streams finish, new requests are refused, and it exits with 0, even if the group is signalled too', async (t) => {
  const { program, pids, open, logged } = await startSupervised(t);
  // Requires a started request: one that no worker has accepted when it stops is lost.
  const begun = await Promise.all(Array.from({ length: 3 }, () => open('/slow')));
  const streams = begun.map((stream) => textOf(Promise.resolve(stream)));
  for (const pid of pids()) process.kill(pid, 'SIGTERM');
  program.child.kill('SIGTERM');
  await logged('stopping: running requests may finish');
  assert.ok((await Promise.all(streams)).every(isComplete));
  assert.equal((await untilFinished(program)).code, 0);
});

test('a second signal ends everything at once', async (t) => {
  const { program, pids, open, logged } = await startSupervised(t);
  const stream = await open('/slow');
  program.child.kill('SIGTERM');
  await logged('stopping: running requests may finish');
  program.child.kill('SIGINT');
  assert.equal((await untilFinished(program)).code, 1);
  await assert.rejects(textOf(Promise.resolve(stream)));
  await untilGone(pids());
});

test('workers whose supervisor is gone finish what they answer and end', async (t) => {
  const { program, pids, open } = await startSupervised(t);
  const stream = open('/slow');
  await stream;
  program.child.kill('SIGKILL');
  assert.ok(isComplete(await textOf(stream)));
  await untilGone(pids());
});

test('a new worker that does not start leaves the old ones in place', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-workers-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'fail');
  const { program, pids, lines, logged, ask } = await startSupervised(t, { env: { FAIL_FILE: file } });
  writeFileSync(file, '');
  program.child.kill('SIGUSR2');
  await logged('the new worker did not get ready; the old ones stay');
  assert.deepEqual(lines('a worker was replaced'), []);
  rmSync(file);
  assert.ok(
    pids()
      .map(String)
      .includes(await ask()),
  );
  program.child.kill('SIGUSR2');
  await logged('all workers are replaced');
});

test('while no process can be started those that run go on, and it is tried again', async (t) => {
  const { program, pids, logged, ask } = await startSupervised(t, { workers: 2 });
  program.child.kill('SIGWINCH');
  await logged('refusing');
  process.kill(pids().at(-1) ?? 0, 'SIGKILL');
  await logged('a worker could not be started', 2);
  program.child.kill('SIGUSR2');
  await logged('the new worker did not get ready; the old ones stay');
  assert.equal(await ask(), String(pids()[0]));
  program.child.kill('SIGWINCH');
  await logged('listening', 3);
  program.child.kill('SIGUSR2');
  await logged('all workers are replaced');
});

test('a stop before anything is ready ends it', async (t) => {
  const program = run(t, { env: { NEVER_READY: '1' } });
  await eventually('the first worker', () => program.stdout.includes('waiting'));
  program.child.kill('SIGTERM');
  assert.equal((await untilFinished(program)).code, 0);
  assert.ok(!program.stdout.includes('the workers are ready'));
});

test('a fault of the first worker ends everything, and is reported once', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  const address = other.address();
  assert.ok(typeof address === 'object' && address !== null);
  const { code, stderr, stdout } = await untilFinished(run(t, { port: address.port }));
  assert.equal(code, 1);
  assert.match(stderr, /^error: [^\n]*EADDRINUSE[^\n]*\n$/);
  assert.equal(stdout, '');
});

/** Waits until none of the processes is there any more. */
function untilGone(pids: readonly number[]): Promise<true> {
  return eventually('the end of the workers', () => !pids.some(isAlive));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
