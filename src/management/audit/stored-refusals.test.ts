import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Refusal } from '../../ports/audit.ts';
import type { Storage } from '../../ports/storage.ts';
import { StoredRefusals } from './refusals.ts';

test('ten refusals of an address are stored in a minute, of twenty addresses, and ten of each account', async () => {
  let stored = 0;
  const append = async () => {
    stored += 1;
  };
  const storage = { audit: { append } } as unknown as Pick<Storage, 'audit'>;
  const clock = { time: 0, now: () => clock.time };
  const refusals = new StoredRefusals(storage, clock);
  const note = async (address: string | undefined, times: number, accountId: string | null = null) => {
    const before = stored;
    const type = address === undefined ? 'command' : 'anonymous';
    const actor = { type, key_hash: null, key_label: null, user_id: null, address: address ?? null } as const;
    const object = { type: 'route', id: 'GET /keys', workspace_id: null } as const;
    const refusal = { actor, accountId, action: 'api.call', object, reason: 'authentication' };
    for (let time = 0; time < times; time += 1) await refusals.note(refusal as unknown as Refusal);
    return stored - before;
  };
  assert.equal(await note('first', 12), 10);
  for (let address = 1; address < 20; address += 1) assert.equal(await note(`a${address}`, 1), 1);
  assert.equal(await note('one more', 1), 0);
  assert.equal(await note('a1', 1), 1, 'one that is counted already');
  assert.equal(await note('one more', 12, 'account'), 10, 'strangers take no room of those with keys');
  assert.equal(await note('another', 12, 'account'), 0);
  assert.equal(await note(undefined, 30), 30, 'the command line has no limit');
  clock.time += 60_000;
  assert.equal(await note('one more', 12), 10, 'the next minute');
});
