import assert from 'node:assert/strict';
import { test } from 'node:test';
import { naiveChoice } from '../../test/routers/naive-routers.ts';
import { type RandomQuestion, randomQuestion } from '../../test/routers/random-routing.ts';
import { randomNumbers } from '../../test/routing/random-numbers.ts';
import { HeadgateError } from '../core/errors.ts';
import { readRouterSlug } from '../routing/candidates.ts';
import { askRouter } from './ask-router.ts';

const questions = 10_000;

function chosen(
  { slug, allowedModels, ...question }: RandomQuestion,
  random: () => number,
): readonly string[] | undefined {
  const { snapshot } = question;
  const named = readRouterSlug(slug, { catalogue: snapshot.catalogue });
  assert.ok(named);
  const outcome = askRouter({
    ...question,
    allowedModels: allowedModels === null ? undefined : { ofKey: allowedModels },
    named,
    snapshot: { ...snapshot, random },
  });
  if (!(outcome instanceof HeadgateError)) return outcome.models;
  assert.deepEqual([outcome.status, outcome.metadata.availability?.code], [404, 'no_endpoints']);
  return undefined;
}

test('10,000 random requests to random catalogues get the models that the rules read one by one name', () => {
  const counts = { chosen: 0, fallbacks: 0, refused: 0 };
  for (let seed = 0; seed < questions; seed += 1) {
    const question = randomQuestion(seed);
    const found = chosen(question, randomNumbers(seed));
    const expected = naiveChoice(question, randomNumbers(seed));
    assert.deepEqual(found, expected, `question ${seed}: ${question.slug}`);
    if (found === undefined) counts.refused += 1;
    else counts.chosen += 1;
    if (found !== undefined && found.length > 1) counts.fallbacks += 1;
  }
  // The questions are of no use when nearly all of them are answered alike.
  assert.ok(counts.chosen > questions / 4, `${counts.chosen} chosen`);
  assert.ok(counts.refused > questions / 20, `${counts.refused} refused`);
  assert.ok(counts.fallbacks > questions / 15, `${counts.fallbacks} with fallbacks`);
});
