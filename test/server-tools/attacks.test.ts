import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { BubblewrapDriver } from '../../src/sandbox/bubblewrap/bubblewrap-driver.ts';
import { EngineDriver } from '../../src/sandbox/engine/engine-driver.ts';
import type { SandboxContainer, SandboxDriver } from '../../src/sandbox/sandbox-driver.ts';
import { eventually } from '../support/eventually.ts';
import { noBubblewrap, smallLimits } from './bubblewrap-here.ts';

/** Such as `podman image runc`, to attack containers of an engine instead. */
const [engine, image = '', runtime] = (process.env.HEADGATE_TEST_SANDBOX ?? '').split(' ');
const isEngine = engine === 'podman' || engine === 'docker';
const skip = isEngine ? false : noBubblewrap;
const driver: SandboxDriver = isEngine
  ? new EngineDriver({ engine, image, runtime, limits: smallLimits })
  : new BubblewrapDriver(() => ({ limits: smallLimits }));

let container: SandboxContainer;
before(async () => {
  if (skip === false) container = await driver.create();
});
after(() => container?.destroy());

const run = (command: string, timeout = 20_000) =>
  container.exec(command, { timeout, maxOutput: 4_000, signal: AbortSignal.timeout(60_000) });

/** The container still works, still has its files, and soon no other processes: those that were ended may take a moment. */
async function assertWorks(): Promise<void> {
  await eventually('the end of all processes', async () => {
    const { stdout, stderr, exitCode } = await run('cat /work/kept; ls /proc | grep -cE "^[0-9]+$"');
    // They count among the processes of the container as long.
    if (/fork: retry/.test(stderr)) return false;
    assert.deepEqual([stdout.split('\n')[0], stderr, exitCode], ['kept', '', 0]);
    return stdout === 'kept\n4\n';
  });
}

test('a probe finds that every limit holds', { skip }, async () => {
  const { problems, holds } = await driver.probe();
  assert.deepEqual(problems, []);
  assert.ok(holds.length >= 11, holds.join('; '));
});

test('files stay from command to command, variables and processes do not', { skip }, async () => {
  await run('echo kept > /work/kept; FOO=bar; (setsid sleep 1000 &) ; sleep 1000 & echo begun');
  assert.equal((await run('echo "$FOO"')).stdout, '\n');
  await assertWorks();
});

test('outputs are apart, and an exit code is passed on', { skip }, async () => {
  assert.deepEqual(await run('echo out; echo err >&2; exit 7'), {
    stdout: 'out\n',
    stderr: 'err\n',
    exitCode: 7,
  });
});

const forks: Readonly<Record<string, string>> = {
  'a fork bomb': ':(){ :|:& };: ; wait',
  'a fork bomb of sessions that ignore signals':
    'trap "" HUP INT TERM; f() { while :; do setsid bash -c "trap \\"\\" TERM; sleep 100" & done; }; f',
};
for (const [name, command] of Object.entries(forks)) {
  test(`${name} is contained, and ends with its command`, { skip }, async () => {
    await run(command, 2_000);
    await assertWorks();
  });
}

test('10 GB of output: the first bytes are kept, the command is ended', { skip }, async () => {
  const before = process.memoryUsage().rss;
  const { stdout, stderr, exitCode } = await run('head -c 10000000000 /dev/zero | tr "\\0" x');
  assert.deepEqual([stdout.length, exitCode], [4_000, 137]);
  assert.match(stderr, /wrote too much/);
  assert.ok(process.memoryUsage().rss - before < 200 * 1024 * 1024);
  await assertWorks();
});

test('a disk filler fills its own disk alone, wherever it writes', { skip }, async () => {
  const places = [
    '/work/big',
    '/tmp/big',
    '/dev/shm/big',
    '/dev/big',
    '/big',
    '/usr/big',
    '/etc/big',
    '/var/big',
  ];
  for (const place of places) await run(`head -c 100000000 /dev/zero > ${place}`);
  const { stdout } = await run(
    'cat /work/big /tmp/big /dev/shm/big 2>/dev/null | wc -c; ls /dev/big /big /usr/big /etc/big /var/big',
  );
  assert.ok(Number(stdout.split('\n')[0]) <= smallLimits.disk + 32 * 1024 * 1024, stdout);
  assert.equal(stdout.split('\n')[1], '');
  await run('rm -f /work/big /tmp/big /dev/shm/big');
  await assertWorks();
});

test('memory: one process is refused more, many are ended', { skip }, async () => {
  const one = await run('perl -e \'push @a, "x" x 10_000_000 for 1..100; print "big"\'');
  assert.notEqual(one.stdout, 'big');
  const hold = 'perl -e \'$a = "x" x 50_000_000; sleep 2\'';
  const many = await run(`for i in 1 2 3 4 5 6 7 8; do ${hold} & done; wait`);
  assert.match(many.stderr, /used too much memory|Killed/);
  await assertWorks();
});

test('no network: not this machine, not another one, no other kind of socket', { skip }, async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.end('reached');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const dial = (host: string) => `exec 3<>/dev/tcp/${host} && echo open >&3 && head -c 9 <&3`;
  for (const host of [`127.0.0.1/${port}`, `localhost/${port}`, '169.254.169.254/80', '192.0.2.1/80']) {
    const { stdout, exitCode } = await run(dial(host), 5_000);
    assert.deepEqual([stdout, exitCode === 0], ['', false], host);
  }
  server.close();
  assert.equal(asked, 0);
  assert.equal((await run('tail -n +3 /proc/net/dev | grep -cv "lo:"')).stdout, '0\n');
  const sockets =
    'use Socket; for (17, 38, 40) { print socket(my $s, $_, 1, 0) ? "open" : $!{EPERM} ? "refused " : "$! " }';
  assert.equal((await run(`perl -MErrno -e '${sockets}'`)).stdout, 'refused refused refused ');
});

test("the gateway's environment and files are out of reach", { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hg-'));
  writeFileSync(join(folder, 'secret'), 'canary-of-files');
  process.env.HEADGATE_CANARY = 'canary-of-environment';
  try {
    const { stdout, stderr } = await run(
      `cat ${folder}/secret ${import.meta.filename} /etc/shadow /root/.bashrc; cat /proc/*/environ /proc/*/cmdline | tr "\\0" "\\n"; ls -A /home /root /srv /opt /mnt /media /sys /run; env`,
    );
    assert.doesNotMatch(stdout, /canary-of|HEADGATE|root:/);
    assert.match(stderr, /No such file/);
  } finally {
    process.env.HEADGATE_CANARY = undefined;
    rmSync(folder, { recursive: true });
  }
});

const escapes: readonly (readonly [what: string, command: string])[] = [
  ['a user namespace of its own', 'unshare -Ur true'],
  ['a mount', 'mount -t tmpfs none /tmp'],
  ['entering another namespace', 'nsenter -t 1 -m true'],
  ['a chroot', 'chroot / true'],
  ['the first process of the container', "perl -e 'exit(syscall(101, 16, 1, 0, 0) == 0 ? 0 : 1)'"],
  ['the memory of the kernel', 'head -c 1 /dev/mem /dev/kmem /proc/kcore'],
  ['settings of the kernel', 'echo 1 > /proc/sys/kernel/sysrq'],
  ['the handler of core dumps', 'echo "|/work/x" > /proc/sys/kernel/core_pattern'],
  ['a restart', 'echo b > /proc/sysrq-trigger'],
  ['the release agent of cgroups', 'mkdir /work/c && mount -t cgroup -o memory none /work/c'],
  ['devices of this machine', 'ls /dev/sd* /dev/vd* /dev/nvme* /dev/kvm'],
  ['making a device', 'mknod /work/disk b 8 0'],
  ['a program of root', 'cp /bin/bash /work/b && chown 0 /work/b'],
  ['sudo and su', 'su -c true; sudo -n true'],
  ['the socket of a container engine', 'ls /var/run/docker.sock /run/podman/podman.sock'],
  ['another processor', 'taskset -pc 0-63 $$'],
  ['a file by its handle', "perl -e 'exit(syscall(304, 0, 0, 0) == -1 && $!{EPERM} ? 1 : 0)' -MErrno"],
  ['io_uring', "perl -e 'exit(syscall(425, 1, 0) == -1 ? 1 : 0)'"],
  ['programs for the kernel', "perl -e 'exit(syscall(321, 0, 0, 0) == -1 ? 1 : 0)'"],
  ['higher limits', 'ulimit -u 100000'],
  ['the 32-bit table of calls', "perl -e 'exit(syscall(0x40000000 + 39) == -1 ? 1 : 0)'"],
];
for (const [what, command] of escapes) {
  test(`escape refused: ${what}`, { skip }, async () => {
    const { exitCode } = await run(command, 5_000);
    assert.notEqual(exitCode, 0);
    await assertWorks();
  });
}

test('the first process of a container can be neither ended nor stopped from inside', { skip }, async () => {
  await run('kill -9 1; kill -STOP 1; kill -TERM 1');
  await assertWorks();
});

test('a command has its two outputs and nothing of the control of its container', { skip }, async () => {
  const look = 'for n in $(seq 0 1023); do if [ -e /proc/$$/fd/$n ]; then echo -n "$n "; fi; done';
  // Bash keeps one of its own while it reads the list.
  assert.match((await run(look)).stdout, /^0 1 2 (255 )?$/);
});

test('what hangs is ended in time, and what does not end by that takes its container with it', {
  skip,
}, async () => {
  const { exitCode, stdout } = await run('echo begun; trap "" TERM INT; while :; do sleep 100; done', 300);
  assert.deepEqual([stdout, exitCode], ['begun\n', undefined]);
  await assertWorks();
});

test('an aborted request ends its command', { skip }, async () => {
  const aborting = new AbortController();
  const running = container.exec('sleep 1000', { timeout: 60_000, maxOutput: 10, signal: aborting.signal });
  setTimeout(() => aborting.abort(new Error('gone')), 100);
  await assert.rejects(running, /gone/);
  await assertWorks();
});

test('nothing is left of a container that was ended', { skip }, async () => {
  const one = await driver.create();
  const running = one.exec('sleep 12345', {
    timeout: 60_000,
    maxOutput: 10,
    signal: AbortSignal.timeout(60_000),
  });
  running.catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await one.destroy();
  await assert.rejects(running);
  assert.equal(one.isAlive, false);
});
