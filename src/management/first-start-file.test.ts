import assert from 'node:assert/strict';
import { existsSync, readFileSync, utimesSync } from 'node:fs';
import { test } from 'node:test';
import { workplace } from '../../test/support/command-line.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { expireFirstStart, firstStartFile, keepFirstStart } from './first-start-file.ts';

test('the file says how long it stays, and a command deletes it', async () => {
  const { folder, run } = await workplace('data_dir: data\n');
  const directory = `${folder}/data`;
  await keepFirstStart(directory, 'API key  sk-hg-v1-1\n');
  assert.match(
    readFileSync(firstStartFile(directory), 'utf8'),
    /deleted 24 hours.*headgate first-start done/,
  );
  const first = await run('first-start', 'done');
  assert.deepEqual([first.code, first.out], [0, `Deleted ${firstStartFile(directory)}.\n`]);
  assert.ok(!existsSync(firstStartFile(directory)));
  assert.match((await run('first-start', 'done')).out, /^There is no /);
});

test('a running server deletes it a day after it was written', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const directory = temporaryFolder();
  await keepFirstStart(directory, 'API key  sk-hg-v1-1\n');
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  const ended: string[] = [];
  utimesSync(firstStartFile(directory), hoursAgo(23), hoursAgo(23));
  const deleted = Promise.withResolvers<void>();
  await expireFirstStart(directory, (file, failure) => {
    ended.push(`${file} ${failure}`);
    deleted.resolve();
  });
  t.mock.timers.tick(59 * 60_000);
  assert.deepEqual(ended, []);
  t.mock.timers.tick(2 * 60_000);
  await deleted.promise;
  assert.deepEqual(ended, [`${firstStartFile(directory)} undefined`]);
  assert.ok(!existsSync(firstStartFile(directory)));
});
