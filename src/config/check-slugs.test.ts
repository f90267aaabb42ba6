import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { loadConfig } from './load-config.ts';

const endpoints = 'endpoints: [{ provider: sandbox, model: echo }]';

async function mistakes(models: string): Promise<readonly string[]> {
  const directory = temporaryFolder();
  try {
    await writeFile(join(directory, 'headgate.yaml'), `catalog: none\nmodels:\n${models}`);
    await loadConfig({ environment: {}, directory });
    return [];
  } catch (error) {
    assert.ok(error instanceof Error);
    return error.message.split('\n').map((line) => line.replace(/^\S+: /, ''));
  }
}

test('former ids stand for one model, whatever their case', async () => {
  assert.deepEqual(await mistakes(`  - { id: a/b, aliases: [a/old, c/d:free], ${endpoints} }\n`), []);
  assert.deepEqual(
    await mistakes(
      `  - { id: a/b, aliases: [a/OLD, A/c], ${endpoints} }\n  - { id: a/c, aliases: [a/old], ${endpoints} }\n`,
    ),
    [
      'models[0].aliases[1]: "A/c" stands for "a/c" already; allowed: former ids that no other model has; remove it in one of the two places',
      'models[1].aliases[0]: "a/old" stands for "a/b" already; allowed: former ids that no other model has; remove it in one of the two places',
    ],
  );
  assert.match(
    (await mistakes(`  - { id: a/b, aliases: [plain], ${endpoints} }\n`))[0] ?? '',
    /^models\[0\]\.aliases\[0\]: /,
  );
});

test('no model follows itself, and days exist', async () => {
  const lines = await mistakes(
    `  - { id: a/b, successor: A/B, fast_sibling: a/b, expiration_date: '2027-13-31', ${endpoints} }\n`,
  );
  assert.deepEqual(
    lines.map((line) => line.split(';')[0]),
    [
      'models[0].successor: the model names itself',
      'models[0].fast_sibling: the model names itself',
      'models[0].expiration_date: "2027-13-31" is no day',
    ],
  );
});

test('a retired model needs no endpoints', async () => {
  assert.deepEqual(await mistakes('  - { id: sandbox/old, retired: true, successor: sandbox/echo }\n'), []);
  assert.deepEqual(await mistakes("  - { id: sandbox/old, expiration_date: '2027-01-31' }\n"), []);
  assert.match((await mistakes('  - { id: sandbox/old }\n'))[0] ?? '', /endpoints is missing/);
});
