import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { workplace } from '../../../test/support/command-line.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const config = `guardrails:
  rules:
    cards: { content_filter_builtins: [ { slug: credit-card, action: block } ], apply: { all: true } }
`;

test('guardrails are created, changed, assigned, tried and deleted', async () => {
  const { run, json } = await workplace(config);
  const { id: account } = await json('accounts', 'create', '--name', 'Acme', '--organization');
  assert.match(account, /^org_/);
  const file = join(temporaryFolder(), 'rules.json');
  writeFileSync(file, '{"content_filter_builtins": [{"slug": "email", "action": "redact"}], "limit_usd": 5}');
  const made = await json('guardrails', 'create', '--name', 'mail', '--file', file);
  assert.deepEqual([made.name, made.limit_usd], ['mail', 5]);
  const tried = await run('guardrails', 'test', 'Mail jane@acme.example', '--guardrail', made.id);
  assert.equal(tried.out, 'redact\nMail [EMAIL]\n');
  const card = await run('guardrails', 'test', '4111 1111 1111 1111', '--guardrail', 'cards');
  assert.match(card.out, /^block\n.*Credit card number/);
  const { guardrails } = await json('guardrails', 'list');
  assert.deepEqual(
    guardrails.map(({ name, source }: { name: string; source?: string }) => [name, source]),
    [
      ['mail', undefined],
      ['cards', 'file'],
    ],
  );
  writeFileSync(file, '{"mode": "observe"}');
  assert.equal((await json('guardrails', 'set', made.id, '--file', file)).mode, 'observe');
  assert.match((await run('guardrails', 'set', 'cards', '--file', file)).err, /configuration file/);
  writeFileSync(file, '{"mode": "watch"}');
  assert.match((await run('guardrails', 'set', made.id, '--file', file)).err, /mode/);
  await run('members', 'add', 'user_jane', '--email', 'jane@acme.example');
  assert.equal((await json('members', 'list')).members[0].role, 'org:member');
  assert.deepEqual(await json('guardrails', 'assign', made.id, '--member', 'user_jane'), {
    keys: 0,
    members: 1,
  });
  assert.match((await run('guardrails', 'assign', made.id, '--member', 'user_none')).err, /no member/);
  assert.equal((await run('guardrails', 'assign', made.id)).code, 2);
  const phrase = await json('guardrails', 'allow', 'add', 'ignore previous instructions');
  assert.match((await run('guardrails', 'allow', 'list')).out, /ignore previous instructions/);
  assert.equal((await run('guardrails', 'allow', 'remove', phrase.id)).code, 0);
  assert.deepEqual(await json('guardrails', 'false-positives', '--days', '7'), { false_positives: [] });
  const { id: second } = await json('accounts', 'create', '--name', 'Second');
  assert.match((await run('guardrails', 'list')).err, /there are 2 accounts; name one with --account/);
  const theirs = await json('guardrails', 'list', '--account', second);
  assert.deepEqual(
    theirs.guardrails.map(({ name }: { name: string }) => name),
    ['cards'],
  );
  assert.equal((await run('guardrails', 'delete', made.id, '--account', account)).code, 0);
  assert.match((await run('guardrails', 'show', made.id, '--account', account)).err, /no such guardrail/);
  assert.equal((await run('members', 'remove', 'user_jane', '--account', account)).code, 0);
});
