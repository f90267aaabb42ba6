import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';

const main = join(import.meta.dirname, '../main.ts');

/** Runs a command whose standard error accepts nothing. */
async function runUnheard(...argv: string[]): Promise<{ code: number; out: string }> {
  const full = openSync('/dev/full', 'w');
  try {
    const child = spawn(process.execPath, [main, ...argv], {
      cwd: temporaryFolder(),
      env: { PATH: process.env.PATH, HEADGATE_PROT: '1' },
      stdio: ['ignore', 'pipe', full],
    });
    let out = '';
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      out += text;
    });
    const [code] = await once(child, 'close');
    return { code, out };
  } finally {
    closeSync(full);
  }
}

test('a standard error that takes nothing changes neither what a command does nor its exit code', async () => {
  assert.deepEqual(await runUnheard('frobnicate'), { code: 2, out: '' });
  const { code, out } = await runUnheard('check');
  assert.equal(code, 0);
  assert.match(out, /^server\.port +8484$/m);
});
