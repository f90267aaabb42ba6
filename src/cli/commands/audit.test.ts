import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { workplace } from '../../../test/support/command-line.ts';

async function someEntries() {
  const { run, json, folder } = await workplace();
  const main = await json('accounts', 'create', '--name', 'Main');
  const made = await json('keys', 'create', '--name', 'bot');
  await run('keys', 'update', made.hash, '--name', 'robot');
  assert.equal((await run('credits', 'grant', '--amount', '5', '--note', 'hello')).code, 0);
  await run('keys', 'delete', made.hash);
  assert.equal((await run('keys', 'delete', made.hash)).code, 1);
  /** Changes the database behind the gateway's back. */
  const tamper = (statement: string) => {
    const database = new DatabaseSync(join(folder, '.headgate', 'headgate.db'));
    database.exec(statement);
    database.close();
  };
  return { run, json, main, made, tamper };
}

test('commands are recorded, refused ones too, and listed newest first', async () => {
  const { run, json, main, made } = await someEntries();
  const { entries } = await json('audit', 'list');
  const actions = entries.map(({ action, outcome }: { action: string; outcome: string }) => [
    action,
    outcome,
  ]);
  assert.deepEqual(actions.sort(), [
    ['account.create', 'ok'],
    ['credits.grant', 'ok'],
    ['key.create', 'ok'],
    ['key.delete', 'ok'],
    ['key.delete', 'refused'],
    ['key.update', 'ok'],
  ]);
  const [updated] = (await json('audit', 'list', '--action', 'key.update')).entries;
  assert.deepEqual([updated.before, updated.after], [{ name: 'bot' }, { name: 'robot' }]);
  assert.deepEqual([updated.actor.type, updated.request_id, updated.account_id], ['command', null, main.id]);
  const [granted] = (await json('audit', 'list', '--action', 'credits.grant')).entries;
  assert.deepEqual([granted.after.amount_usd, granted.after.note, granted.after.booked], [5, 'hello', true]);
  const refused = (await json('audit', 'list', '--account', 'none')).entries;
  assert.deepEqual([refused.length, refused[0].reason], [1, 'not_found']);
  const table = await run('audit', 'list', '--outcome', 'refused');
  assert.match(
    table.out,
    /^AT +ACTOR +ACTION +OBJECT +OUTCOME\n\S+ +command +key\.delete +\w+ +refused: not_found\n$/,
  );
  assert.ok(!JSON.stringify(entries).includes(made.key));
});

test('export prints every entry as a line of JSON, oldest first', async () => {
  const { run, main } = await someEntries();
  const { out } = await run('audit', 'export', '--account', main.id);
  const entries = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    entries.map(({ seq, action }) => `${seq} ${action}`),
    ['1 account.create', '2 key.create', '3 key.update', '4 credits.grant', '5 key.delete'],
  );
  assert.equal(entries[1].previous, entries[0].hash);
});

test('verify confirms an intact log', async () => {
  const { run, json, main } = await someEntries();
  const outcome = await run('audit', 'verify');
  assert.deepEqual(outcome, { code: 0, out: '6 entries in 2 chain(s) are as they were written.\n', err: '' });
  const { chains } = await json('audit', 'verify', '--account', main.id);
  assert.deepEqual([chains.length, chains[0].intact, chains[0].broken], [1, 5, null]);
});

const tampering: readonly [string, string, RegExp][] = [
  [
    'a changed entry',
    `update audit_entries set entry = replace(entry, 'robot', 'human') where seq = 3`,
    /: entry 3 \(aud_\w+\): its hash does not fit/,
  ],
  [
    'a changed column',
    `update audit_entries set actor = 'system' where seq = 2 and account_id <> ''`,
    /: entry 2 \(aud_\w+\): its columns differ/,
  ],
  [
    'a removed entry',
    `delete from audit_entries where seq = 4`,
    /: entry 5 \(aud_\w+\): the entry before it is missing: 4/,
  ],
  ['a removed end', `delete from audit_entries where seq > 3`, /: entry 4: it is missing/],
  ['a removed chain', `delete from audit_entries where account_id <> ''`, /: entry 1: it is missing/],
  ['a removed head', `delete from audit_chains where account_id <> ''`, /the end of the chain is not stored/],
  [
    'another head',
    `update audit_chains set hash = (select hash from audit_entries where seq = 1 and account_id <> '') where account_id <> ''`,
    /: entry 6: the chain before it is not the one that was stored/,
  ],
  [
    'swapped hashes',
    `update audit_entries set hash = (select hash from audit_entries where seq = 1 and account_id <> '') where seq = 5`,
    /: entry 5 \(aud_\w+\): its hash/,
  ],
];

for (const [name, statement, message] of tampering) {
  test(`verify names the first broken entry: ${name}`, async () => {
    const { run, main, tamper } = await someEntries();
    tamper(statement);
    const { code, err } = await run('audit', 'verify');
    assert.equal(code, 1);
    assert.match(err, message);
    assert.ok(err.includes(`the audit log of ${main.id} was changed`), err);
  });
}
