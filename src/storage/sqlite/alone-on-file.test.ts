import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { openStorage } from '../open-storage.ts';

test('of those who open one file each is alone in turn, also after one that failed', async (t) => {
  const directory = temporaryFolder();
  const url = `sqlite:${join(directory, 'books.db')}`;
  const storages = await Promise.all([openStorage(url), openStorage(url), openStorage(url)]);
  t.after(() => Promise.all(storages.map((storage) => storage.close())));
  let inside = 0;
  const work = async () => {
    inside += 1;
    assert.equal(inside, 1);
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    inside -= 1;
    throw new Error('that went wrong');
  };
  await Promise.all(storages.map((storage) => assert.rejects(storage.alone(work), /that went wrong/)));
  assert.equal(inside, 0);
});

test('where the lock cannot be taken nobody waits for it', async (t) => {
  const directory = temporaryFolder();
  await writeFile(join(directory, 'books.db.lock'), 'held by another program, '.repeat(100));
  const storage = await openStorage(`sqlite:${join(directory, 'books.db')}`);
  t.after(() => storage.close());
  await assert.rejects(
    storage.alone(() => Promise.resolve()),
    /books\.db\.lock" cannot be locked/,
  );
});
