import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { startThread, ThreadClient, type ThreadOptions } from './thread-client.ts';

async function connect(t: TestContext, busyTimeout: number, options: ThreadOptions = {}) {
  const file = join(temporaryFolder(), 'headgate.db');
  await writeFile(file, '');
  const client = new ThreadClient({ file, readOnly: false, busyTimeout }, options);
  const other = new DatabaseSync(file, { timeout: 1000 });
  t.after(async () => {
    other.close();
    await client.close();
  });
  await client.send({ kind: 'change', sql: 'create table notes (text text)', values: [] });
  const write = (text: string) =>
    client.send({ kind: 'change', sql: 'insert into notes values (?)', values: [text] });
  const notes = () =>
    other
      .prepare('select text from notes')
      .all()
      .map((row) => row.text);
  return { client, other, write, notes };
}

test('a transaction given up on does not swallow what comes after it', async (t) => {
  const { client, other, write, notes } = await connect(t, 20_000, { replyTimeout: 2000 });
  other.exec('begin immediate');
  await assert.rejects(client.begin(), /no answer within 2000 ms/);
  other.exec('rollback');
  await write('after');
  assert.deepEqual(notes(), ['after']);
});

test('requests wait for the end of a transaction, and see what it did', async (t) => {
  const { client, write, notes } = await connect(t, 100);
  const transaction = await client.begin();
  await transaction.send({ kind: 'change', sql: "insert into notes values ('inside')", values: [] });
  const outside = write('outside');
  const second = client.begin();
  assert.deepEqual(notes(), []);
  await transaction.send({ kind: 'rollback' });
  transaction.release();
  await outside;
  assert.deepEqual(notes(), ['outside']);
  const next = await second;
  await next.send({ kind: 'commit' });
  next.release();
});

test('closing waits for the transaction that is open and refuses the next', async (t) => {
  const { client, write, notes } = await connect(t, 100);
  const transaction = await client.begin();
  const closing = client.close();
  await assert.rejects(Promise.all([write('late'), finish()]), { code: 'service_unavailable' });
  await closing;
  assert.deepEqual(notes(), ['kept']);

  async function finish() {
    await transaction.send({ kind: 'change', sql: "insert into notes values ('kept')", values: [] });
    await transaction.send({ kind: 'commit' });
    transaction.release();
  }
});

test('what is asked for in one tick goes in one message, and reads are answered in one', async (t) => {
  const sent: number[] = [];
  const answered: number[] = [];
  const { client, write } = await connect(t, 100, {
    startThread: (settings) => {
      const thread = startThread(settings);
      const post = thread.postMessage.bind(thread);
      thread.postMessage = (requests: readonly unknown[]) => {
        sent.push(requests.length);
        post(requests);
      };
      thread.on('message', (replies: readonly unknown[]) => answered.push(replies.length));
      return thread;
    },
  });
  await write('one');
  sent.length = 0;
  answered.length = 0;
  const count = () => client.send({ kind: 'rows', sql: 'select count(*) as count from notes', values: [] });
  const answers = await Promise.all([count(), count(), write('two'), count()]);
  assert.deepEqual(answers, [[{ count: 1n }], [{ count: 1n }], 1, [{ count: 2n }]]);
  assert.deepEqual(sent, [4]);
  // The answer to a change is sent at once, before later work can fail and lose it.
  assert.deepEqual(answered, [3, 1]);
});
