import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type NaivePlan, naivePlan } from '../../test/routing/naive-plan.ts';
import { randomCatalogue } from '../../test/routing/random-catalogue.ts';
import { randomNumbers } from '../../test/routing/random-numbers.ts';
import { randomSituation, randomStatistics, type Situation } from '../../test/routing/random-situations.ts';
import { planOrThrow } from '../../test/support/plan-or-throw.ts';
import { HeadgateError } from '../core/errors.ts';

const requests = 10_000;

function decided({ request, snapshot }: Situation): NaivePlan {
  try {
    const { targets, excluded } = planOrThrow(request, snapshot);
    return {
      targets: targets.map(
        ({ model, endpoint, credential }) => `${model.id} ${endpoint.tag} ${credential?.id ?? 'shared'}`,
      ),
      excluded: excluded
        .map(({ model, endpoint, excludedBy }) => `${model.id} ${endpoint.tag} ${excludedBy}`)
        .sort(),
    };
  } catch (thrown) {
    assert.ok(thrown instanceof HeadgateError, String(thrown));
    return { refusal: [thrown.status, thrown.metadata.availability?.code ?? ''] };
  }
}

test('10,000 random requests go where the rules read one by one send them', () => {
  const catalogue = randomCatalogue(1, 200, 10);
  const statistics = randomStatistics(2);
  const counts = { planned: 0, refused: new Map<string, number>(), targets: 0 };
  for (let seed = 0; seed < requests; seed += 1) {
    const { request, snapshot } = randomSituation(seed, catalogue, statistics);
    const found = decided({ request, snapshot: { ...snapshot, random: randomNumbers(seed) } });
    const expected = naivePlan(request, { ...snapshot, random: randomNumbers(seed) });
    assert.deepEqual(
      found,
      expected,
      `request ${seed}: ${JSON.stringify([request.models, request.provider])}`,
    );
    if (found.refusal === undefined) counts.planned += 1;
    else counts.refused.set(found.refusal[1], (counts.refused.get(found.refusal[1]) ?? 0) + 1);
    counts.targets += found.targets?.length ?? 0;
  }
  // The requests are of no use when nearly all of them fail alike.
  assert.ok(counts.planned > requests / 2, `${counts.planned} planned`);
  assert.ok(counts.targets > 3 * counts.planned, `${counts.targets} targets`);
  const codes = [...counts.refused.keys()].sort();
  assert.deepEqual(codes, [
    'constraint_filtered',
    'free_variant_ended',
    'model_deprecated',
    'model_not_found',
    'no_endpoints',
    'privacy_restricted',
    'region_restricted',
    'wrong_endpoint',
  ]);
});
