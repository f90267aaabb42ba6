import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { reconcileRun } from './run.ts';
import { seed, setScene } from './scene.ts';

test(`every report agrees with what providers would invoice after random calls, seed ${seed}`, async (t) => {
  const url = `sqlite:${join(temporaryFolder(), 'headgate.db')}`;
  const scene = await setScene(t, 1, [{ ports: [], namesPorts: false, url: () => url }]);
  const charged = await reconcileRun(scene, seed, 120);
  assert.ok(charged > 30, `${charged} calls were charged`);
});
