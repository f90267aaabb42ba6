import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findGroup } from './cgroups.ts';

const first = `31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory`;

test('of the first version each controller has its own hierarchy', () => {
  const groups = '4:memory:/system.slice/a:b\n2:cpu,cpuacct:/x\n0::/';
  assert.deepEqual(findGroup('memory', groups, first), {
    version: 1,
    folder: '/sys/fs/cgroup/memory/system.slice/a:b',
    mount: '/sys/fs/cgroup/memory',
  });
  assert.equal(findGroup('cpu', groups, first)?.folder, '/sys/fs/cgroup/cpu,cpuacct/x');
  assert.equal(findGroup('memory', '2:cpu:/x', first), undefined);
});

test('a mount that shows a group as its top is what a container sees', () => {
  const mounts = '35 31 0:32 /docker/c1 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory';
  const found = findGroup('memory', '4:memory:/docker/c1/inner', mounts);
  assert.equal(found?.folder, '/sys/fs/cgroup/memory/inner');
  assert.equal(findGroup('memory', '4:memory:/docker/c12', mounts), undefined);
});

test('of the second version a group needs the controller', () => {
  const place = mkdtempSync(join(tmpdir(), 'hg-'));
  try {
    mkdirSync(join(place, 'user.slice'));
    writeFileSync(join(place, 'user.slice', 'cgroup.controllers'), 'cpu memory pids\n');
    const mounts = `41 31 0:38 / ${place} rw,relatime - cgroup2 cgroup2 rw`;
    const expected = { version: 2, folder: join(place, 'user.slice'), mount: place };
    assert.deepEqual(findGroup('memory', '0::/user.slice', mounts), expected);
    assert.equal(findGroup('io', '0::/user.slice', mounts), undefined);
    assert.equal(findGroup('memory', '0::/', mounts), undefined);
  } finally {
    rmSync(place, { recursive: true });
  }
});

test('what cannot be read is no group', () => {
  assert.equal(findGroup('memory', '', ''), undefined);
  assert.equal(findGroup('memory', 'nonsense', 'nonsense'), undefined);
});
