import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StickyEndpoints } from '../../src/ports/stickiness.ts';
import { unique } from './fixtures.ts';

/** Makes a memory, and a way to let time pass; what it opens is closed when the test is over. */
export type OpenStickyEndpoints = (test: {
  after: (cleanUp: () => Promise<void>) => void;
}) => Promise<{ readonly sticky: StickyEndpoints; readonly pass: (milliseconds: number) => Promise<void> }>;

const north = { tag: 'north', credentialClass: 1 } as const;
const south = { tag: 'south/fast', credentialClass: 0 } as const;

/** What every StickyEndpoints must do. */
export function describeStickyEndpoints(name: string, open: OpenStickyEndpoints): void {
  describe(`sticky endpoints: ${name}`, () => {
    test('the last success of a conversation is remembered', async (t) => {
      const { sticky } = await open(t);
      const key = unique('c');
      await sticky.remember(key, north, 600_000);
      assert.deepEqual(await sticky.find([unique('other'), key]), [undefined, north]);
      await sticky.remember(key, south, 600_000);
      assert.deepEqual(await sticky.find([key]), [south]);
      assert.deepEqual(await sticky.find([]), []);
    });

    test('an entry lives as long as it was said to', async (t) => {
      const { sticky, pass } = await open(t);
      const key = unique('c');
      await sticky.remember(key, north, 500);
      await pass(500);
      // Nobody waits until it is remembered, so its time may have begun late.
      while ((await sticky.find([key]))[0] !== undefined) await pass(20);
    });
  });
}
