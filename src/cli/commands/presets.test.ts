import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { workplace } from '../../../test/support/command-line.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

test('presets are of the account that is named, where there are several', async () => {
  const { run, json } = await workplace('');
  const { id: first } = await json('accounts', 'create', '--name', 'First');
  const { id: second } = await json('accounts', 'create', '--name', 'Second');
  const file = join(temporaryFolder(), 'preset.json');
  writeFileSync(file, '{"model": "acme/atlas-4", "instructions": "Be brief."}');
  const set = ['presets', 'set', 'brief', '--file', file] as const;
  assert.match((await run(...set)).err, /there are 2 accounts; name one with --account/);
  const made = await json(...set, '--account', second);
  assert.equal(made.designated_version.system_prompt, 'Be brief.');
  assert.equal((await json('presets', 'list', '--account', second)).presets.length, 1);
  assert.equal((await json('presets', 'list', '--account', first)).presets.length, 0);
  await json(...set, '--system', 'Be long.', '--account', second);
  const older = await json('presets', 'designate', 'brief', '1', '--account', second);
  assert.equal(older.designated_version.system_prompt, 'Be brief.');
  assert.match((await run('presets', 'designate', 'brief', '3', '--account', second)).err, /no version 3/);
  assert.equal((await run('presets', 'disable', 'brief', '--account', second)).code, 0);
  assert.equal((await json('presets', 'show', 'brief', '--account', second)).status, 'disabled');
  assert.match((await run('presets', 'show', 'brief', '--account', first)).err, /no preset "brief"/);
  assert.match((await run('presets', 'list', '--account', 'nobody')).err, /no account "nobody"/);
});
