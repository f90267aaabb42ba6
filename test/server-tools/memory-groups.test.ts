import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BubblewrapDriver } from '../../src/sandbox/bubblewrap/bubblewrap-driver.ts';
import { type MemoryGroup, MemoryGroups } from '../../src/sandbox/bubblewrap/memory-groups.ts';
import { eventually } from '../support/eventually.ts';
import { noBubblewrap, smallLimits } from './bubblewrap-here.ts';

const groups = noBubblewrap === false ? MemoryGroups.find() : undefined;
const withoutGroups = groups === undefined ? 'this process may make no control groups here' : false;
if (withoutGroups !== false) console.log(`tests of control groups skipped: ${withoutGroups}`);

const settings = () => ({ limits: smallLimits });
const bounds = () => ({ timeout: 20_000, maxOutput: 4_000, signal: AbortSignal.timeout(60_000) });
/** Eight processes of 50 MB each, faster than anybody looks. */
const hold = 'for i in 1 2 3 4 5 6 7 8; do perl -e \'$a = "x" x 50_000_000; sleep 2\' & done; wait';

test('with control groups the kernel limits the memory of a container, files included', {
  skip: withoutGroups,
}, async () => {
  const made: MemoryGroup[] = [];
  const watched = {
    make(bytes: number) {
      const group = (groups as MemoryGroups).make(bytes);
      made.push(group);
      return group;
    },
  };
  const driver = new BubblewrapDriver(settings, () => watched);
  const { problems, holds } = await driver.probe();
  assert.deepEqual(problems, []);
  assert.ok(holds.includes('memory of all processes and files, by a control group'), holds.join('; '));
  const container = await driver.create();
  const folder = made.at(-1)?.folder ?? '';
  await container.exec('head -c 20000000 /dev/zero > /work/file', bounds());
  const { stderr } = await container.exec(hold, bounds());
  assert.match(stderr, /used too much memory|Killed/);
  const peak = ['memory.peak', 'memory.max_usage_in_bytes'].find((name) => existsSync(join(folder, name)));
  const most = Number(readFileSync(join(folder, peak ?? ''), 'utf8'));
  assert.ok(most > 20_000_000 && most <= smallLimits.memory + smallLimits.disk, String(most));
  assert.equal((await container.exec('wc -c < /work/file', bounds())).stdout, '20000000\n');
  await container.destroy();
  await eventually('the end of all groups', () => made.every((group) => !existsSync(group.folder)));
});

test('without control groups the sum is looked at, and a command that takes too much is ended', {
  skip: noBubblewrap,
}, async () => {
  const driver = new BubblewrapDriver(settings, () => undefined);
  const { problems, holds } = await driver.probe();
  assert.deepEqual(problems, []);
  assert.equal(holds.filter((limit) => /control group/.test(limit)).length, 0);
  const container = await driver.create();
  const { stderr, exitCode } = await container.exec(hold, bounds());
  assert.match(stderr, /used too much memory/);
  assert.equal(exitCode, 137);
  await container.destroy();
});

test('a container that cannot be put into its group is refused', { skip: noBubblewrap }, async () => {
  const refusing = {
    make(): never {
      throw new Error('no space left in the hierarchy');
    },
  };
  const driver = new BubblewrapDriver(settings, () => refusing);
  await assert.rejects(driver.create(), /no space left/);
  assert.deepEqual((await driver.probe()).problems, ['no space left in the hierarchy']);
});
