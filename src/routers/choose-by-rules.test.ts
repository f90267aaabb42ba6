import assert from 'node:assert/strict';
import { test } from 'node:test';
import { naiveFusion } from '../../test/routers/naive-fusion.ts';
import { naiveChoice } from '../../test/routers/naive-routers.ts';
import { type RandomQuestion, randomQuestion } from '../../test/routers/random-routing.ts';
import { randomNumbers } from '../../test/routing/random-numbers.ts';
import { HeadgateError } from '../core/errors.ts';
import { readRouterSlug } from '../routing/candidates.ts';
import { askRouter } from './ask-router.ts';

const questions = 10_000;

type Chosen = readonly string[] | 'mistake' | undefined;

function chosen({ slug, allowedModels, ...question }: RandomQuestion, random: () => number): Chosen {
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
  if (outcome.status === 400) return 'mistake';
  assert.deepEqual([outcome.status, outcome.metadata.availability?.code], [404, 'no_endpoints']);
  return undefined;
}

function expectedOf(question: RandomQuestion, random: () => number): Chosen {
  return question.slug.startsWith('service/fusion') ? naiveFusion(question) : naiveChoice(question, random);
}

test('10,000 random requests to random catalogues get the models that the rules read one by one name', () => {
  const counts = { chosen: 0, fallbacks: 0, refused: 0, mistakes: 0, panels: 0 };
  for (let seed = 0; seed < questions; seed += 1) {
    const question = randomQuestion(seed);
    const found = chosen(question, randomNumbers(seed));
    const expected = expectedOf(question, randomNumbers(seed));
    assert.deepEqual(found, expected, `question ${seed}: ${question.slug}`);
    if (found === undefined) counts.refused += 1;
    else if (found === 'mistake') counts.mistakes += 1;
    else counts.chosen += 1;
    if (Array.isArray(found) && found.length > 1) counts.fallbacks += 1;
    if (Array.isArray(found) && question.slug.startsWith('service/fusion')) counts.panels += 1;
  }
  // The questions are of no use when nearly all of them are answered alike.
  assert.ok(counts.chosen > questions / 4, `${counts.chosen} chosen`);
  assert.ok(counts.refused > questions / 20, `${counts.refused} refused`);
  assert.ok(counts.panels > questions / 20, `${counts.panels} by fusion routers`);
  assert.ok(counts.mistakes > questions / 500, `${counts.mistakes} mistakes`);
  assert.ok(counts.fallbacks > questions / 15, `${counts.fallbacks} with fallbacks`);
});
