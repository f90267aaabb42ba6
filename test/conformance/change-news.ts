import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Change } from '../../src/ports/invalidation.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { eventually } from '../support/eventually.ts';
import type { MakeUrl } from './durability.ts';
import { account } from './fixtures.ts';

/** Milliseconds within which another process learns of a change, on a machine that has time for it. */
const within = 300;
/** How often that is tried: a busy machine may be late. */
const rounds = 10;

/** A process learns what others change in its database. */
export function describeChangeNews(name: string, makeUrl: MakeUrl): void {
  describe(`news of changes: ${name}`, () => {
    test('what another process stores and announces is known within 0.3 s', async (t) => {
      const url = await makeUrl(t);
      const server = await openStorage(url);
      const command = await openStorage(url);
      const heard: Change[] = [];
      try {
        await server.migrate();
        server.watchChanges((change) => heard.push(change));
        // Until it listens.
        await eventually('the first news', async () => {
          await command.accounts.create(account());
          await command.announce({ kind: 'callers' });
          await sleep(100);
          return heard.length > 0;
        });
        const times: number[] = [];
        for (let round = 0; round < rounds; round += 1) {
          await sleep(within);
          heard.length = 0;
          await command.accounts.create(account());
          const begun = performance.now();
          await command.announce({ kind: 'credential', id: 'c-1' });
          await eventually('news', () => heard.length > 0);
          times.push(performance.now() - begun);
          assert.ok(heard.some(({ kind }) => kind !== 'callers'));
        }
        console.log(`${name}: news of changes after ${times.map(Math.round).join(', ')} ms`);
        assert.ok(Math.min(...times) < within, times.join(', '));
      } finally {
        await command.close();
        await server.close();
      }
    });

    test('what the process itself stores is no news', async (t) => {
      const server = await openStorage(await makeUrl(t));
      const heard: Change[] = [];
      try {
        await server.migrate();
        server.watchChanges((change) => heard.push(change));
        await sleep(within);
        heard.length = 0;
        await server.accounts.create(account());
        await sleep(2 * within);
        assert.deepEqual(heard, []);
      } finally {
        await server.close();
      }
    });
  });
}
