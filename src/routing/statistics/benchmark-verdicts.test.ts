import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf, providerOf } from '../../../test/support/catalogue.ts';
import type { BenchmarkResult } from '../../core/benchmark-result.ts';
import { type BenchmarkFacts, BenchmarkVerdicts } from './benchmark-verdicts.ts';

const day = 86_400_000;
const begin = Date.UTC(2026, 9, 1);
const slugs = ['a', 'b', 'c', 'd', 'e', 'f'];
const model = modelOf(
  'acme/atlas-4',
  slugs.map((slug) => providerOf({ slug })),
);
const catalogue = { models: new Map([[model.id, model]]), providers: new Map() };

const run = (tag: string, score: number, dayOfRun = 0, change: Partial<BenchmarkResult> = {}) =>
  ({
    model: model.id,
    tag,
    benchmark: 'science',
    tasks: 50,
    score,
    at: begin + dayOfRun * day,
    ...change,
  }) satisfies BenchmarkResult;

/** The verdict on each endpoint at a day: `+` good, `-` flagged, `?` none. */
function verdicts(
  results: readonly BenchmarkResult[],
  today: number,
  change: Partial<BenchmarkFacts> = {},
): string {
  const facts = { catalogue, results, deviations: 2, peers: 4, now: begin + today * day, ...change };
  const judged = new BenchmarkVerdicts(() => facts);
  const signs = { good: '+', flagged: '-' };
  return model.endpoints
    .map((endpoint) => {
      const verdict = judged.of(endpoint);
      return verdict === undefined ? '?' : signs[verdict];
    })
    .join('');
}

/** Median 0.72, median absolute deviation 0.01: two standard deviations below is 0.690348. */
const founding = [run('a', 0.71), run('b', 0.72), run('c', 0.72), run('d', 0.73), run('e', 0.74)];

test('an endpoint is flagged below two standard deviations under the baseline, and without a score', () => {
  assert.equal(verdicts(founding, 1), '+++++-');
  assert.equal(verdicts([...founding, run('f', 0.691, 21)], 22), '++++++');
  assert.equal(verdicts([...founding, run('f', 0.69, 21)], 22), '+++++-');
  assert.equal(verdicts([...founding, run('f', 0.6, 21)], 22, { deviations: 20 }), '++++++');
});

test('there is no verdict before four endpoints have a score, nor by runs that were too short', () => {
  assert.equal(verdicts(founding.slice(0, 3), 1), '??????');
  assert.equal(verdicts(founding.slice(0, 4), 1), '++++--');
  const three = founding.filter(({ tag }) => 'abd'.includes(tag));
  assert.equal(verdicts(three, 1, { peers: 3 }), '++-+--');
  const short = founding.map((one) => ({ ...one, tasks: 49 }));
  assert.equal(verdicts(short, 1), '??????');
  const agentic = short.map((one) => ({ ...one, tasks: 45, benchmark: 'tool_use' as const }));
  assert.equal(verdicts(agentic, 1), '+++++-');
  assert.equal(verdicts(founding, -1), '??????', 'results of tomorrow');
  assert.equal(verdicts([run('x', 1, 0, { model: 'acme/other' })], 1), '??????');
});

test('the baseline is made in three weeks from the first result and stays; scores count for 32 days', () => {
  const later = (score: number, dayOfRun: number) =>
    slugs.slice(0, 5).map((tag) => run(tag, score, dayOfRun));
  assert.equal(verdicts([...founding, ...later(0.5, 21)], 40), '------', 'all fell behind what they were');
  assert.equal(verdicts([...founding, ...later(0.5, 20)], 25), '+++++-', 'still part of the baseline');
  assert.equal(verdicts(founding, 31.9), '+++++-');
  assert.equal(verdicts(founding, 32), '------', 'no score is left');
});

test('one bad benchmark flags, several runs are averaged', () => {
  const tools = founding.map((one) => ({ ...one, benchmark: 'tool_use' as const }));
  const bad = run('e', 0.1, 22, { benchmark: 'tool_use' });
  const again = (tag: string, benchmark: 'science' | 'tool_use') => run(tag, 0.73, 23, { benchmark });
  const all = [...founding, ...tools, bad];
  assert.equal(verdicts(all, 24), '++++--');
  assert.equal(verdicts([...all, ...Array.from({ length: 60 }, () => again('e', 'tool_use'))], 24), '+++++-');
});

test('while a server runs, verdicts follow results, catalogue and days', () => {
  const [first] = model.endpoints;
  assert.ok(first);
  let facts: BenchmarkFacts = { catalogue, results: [], deviations: 2, peers: 4, now: begin + day };
  const live = new BenchmarkVerdicts(() => facts);
  assert.equal(live.of(first), undefined);
  facts = { ...facts, results: founding };
  assert.equal(live.of(first), 'good');
  facts = { ...facts, now: begin + 32 * day };
  assert.equal(live.of(first), 'flagged');
});
