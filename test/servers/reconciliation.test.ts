import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPostgresEngine, startRedisEngine } from '../../scripts/chaos/engine.ts';
import { reconcileRun } from '../reconciliation/run.ts';
import { seed, setScene } from '../reconciliation/scene.ts';

test(`every report agrees with what providers would invoice after random calls at three processes, seed ${seed}`, async (t) => {
  const { engine: postgres } = await startPostgresEngine();
  t.after(() => postgres.close());
  const redis = await startRedisEngine();
  t.after(() => redis.close());
  const charged = await reconcileRun(await setScene(t, 3, [postgres, redis]), seed, 300);
  assert.ok(charged > 75, `${charged} calls were charged`);
});
