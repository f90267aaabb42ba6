import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { adapterNames } from '../../src/catalogue/vocabulary.ts';
import { behaviours } from './behaviours/behaviours.ts';
import { dialects } from './dialects.ts';
import { applies, tryRefusal } from './support/applies.ts';
import { type Stage, setStage } from './support/stage.ts';

test('there is a script for every dialect', () => {
  const spoken = adapterNames.filter((name) => name !== 'sandbox');
  assert.deepEqual([...new Set(dialects.map(({ adapter }) => adapter))].sort(), [...spoken].sort());
});

describe('conformance', { concurrency: 5 }, () => {
  for (const dialect of dialects) {
    describe(dialect.adapter, { concurrency: 1 }, () => {
      let stage: Stage & { readonly strike: () => Promise<void> };
      before(async () => {
        stage = await setStage(dialect);
      });
      after(() => stage.strike());

      for (const behaviour of behaviours) {
        test(behaviour.name, async (context) => {
          const verdict = applies(behaviour, stage);
          if (verdict === 'yes') await behaviour.run(stage);
          else if (verdict === 'refused') await tryRefusal(behaviour, stage);
          context.diagnostic(`applies: ${verdict}`);
        });
      }
    });
  }
});
