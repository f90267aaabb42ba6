import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStorage } from '../../src/storage/open-storage.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway } from '../support/gateway.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Below the second after which a caller is read again in any case. */
const soon = 800;

test('a running server goes by what another process changed well before its cache expires', async () => {
  const databaseUrl = `sqlite:${join(temporaryFolder(), 'headgate.db')}`;
  const gateway = await startGateway({ models: [], databaseUrl });
  const other = await openStorage(databaseUrl);
  const status = async () => {
    const response = await gateway.get('/api/v1/key');
    await response.arrayBuffer();
    return response.status;
  };
  try {
    const times: number[] = [];
    for (const disabled of [true, false, true, false, true, false]) {
      // As fresh as the cache can be.
      await sleep(200);
      await status();
      await other.keys.update(gateway.keyHash, { disabled }, Date.now());
      const begun = performance.now();
      const expected = disabled ? 401 : 200;
      await eventually(`status ${expected}`, async () => (await status()) === expected);
      times.push(performance.now() - begun);
    }
    console.log(`a change of another process is seen after ${times.map(Math.round).join(', ')} ms`);
    const median = times.toSorted((a, b) => a - b)[2] ?? 0;
    assert.ok(median < soon, times.join(', '));
  } finally {
    await other.close();
    await gateway.stop();
  }
});
