import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { EngineDriver, readMemory, readProcessors } from '../../src/sandbox/engine/engine-driver.ts';
import { smallLimits } from './bubblewrap-here.ts';

const most = smallLimits.memory + smallLimits.disk;

/** What a container of podman reports about itself, apart from its control group. */
const usual = `user 4711
processes ${smallLimits.processes}
memory ${smallLimits.memory / 1024}
disk ${smallLimits.disk}
network lo,
root read-only
work writable
Seccomp 2
NoNewPrivs 1
CapEff 0000000000000000
CapBnd 0000000000000000
`;

/** Probes an engine whose containers report what is given, and whose first process has the number given. */
async function probe(reported: string, pid = 0) {
  const folder = mkdtempSync(join(tmpdir(), 'hg-'));
  const script = `#!/bin/bash
case $1 in
  run)
    echo ready
    IFS= read -r -d '' mark && IFS= read -r -d '' command
    printf '%s' '${usual}${reported}'
    printf '%s\\n' "$mark" >&2
    printf '%s0\\n' "$mark"
    ;;
  inspect) echo ${pid} ;;
esac
`;
  writeFileSync(join(folder, 'podman'), script);
  chmodSync(join(folder, 'podman'), 0o755);
  const path = process.env.PATH;
  process.env.PATH = `${folder}${delimiter}${path}`;
  try {
    return await new EngineDriver({ engine: 'podman', image: 'x', limits: smallLimits }).probe();
  } finally {
    process.env.PATH = path;
    rmSync(folder, { recursive: true });
  }
}

test('an engine that limits memory and processors is used, whatever the version of control groups', async () => {
  for (const processors of ['100000/100000', '50000/100000/']) {
    const { problems, holds } = await probe(`group-memory ${most}\ngroup-processors ${processors}\n`);
    assert.deepEqual(problems, []);
    assert.ok(holds.includes('memory of all processes and files, by the engine'));
    assert.ok(holds.includes('one processor'));
  }
});

const unlimited: Readonly<Record<string, string>> = {
  'ignores limits with version 1': 'group-memory 9223372036854771712\ngroup-processors -1/100000\n',
  'ignores limits with version 2': 'group-memory max\ngroup-processors max/100000\n',
  'shows nothing of them': 'group-memory \ngroup-processors \n',
  'limits to more': `group-memory ${most + 4096}\ngroup-processors 200000/100000\n`,
};
for (const [what, reported] of Object.entries(unlimited)) {
  test(`an engine that ${what} is refused, with what to do`, async () => {
    const { problems } = await probe(reported);
    assert.equal(problems.length, 2);
    assert.match(problems[0] ?? '', /does not limit the memory of a container .* version 2/);
    assert.match(problems[1] ?? '', /one processor/);
  });
}

test('limits are read as the kernel writes them', () => {
  assert.deepEqual(['301989888\n', 'max', '', 'x'].map(readMemory), [
    301_989_888,
    Number.POSITIVE_INFINITY,
    undefined,
    undefined,
  ]);
  assert.deepEqual(
    ['100000/100000', '50000/100000/', 'max/100000', '-1/100000', '', '1'].map(readProcessors),
    [1, 0.5, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, undefined, undefined],
  );
});
