import { type BenchmarkResult, benchmarks } from '../../core/benchmark-result.ts';
import type { Catalogue, Endpoint, Model } from '../../core/catalogue.ts';
import { dayLength } from '../../util/utc-windows.ts';
import { deviationAround, median } from '../median.ts';

/** The verdict of scores on an endpoint: undefined while its model has no baseline. */
export type BenchmarkVerdict = 'good' | 'flagged' | undefined;

/** The input of verdicts. */
export interface BenchmarkFacts {
  readonly catalogue: Catalogue;
  readonly results: readonly BenchmarkResult[];
  /**
   * How many standard deviations below the baseline flag an endpoint, and how many endpoints make a baseline.
   */
  readonly deviations: number;
  readonly peers: number;
  /** Unix milliseconds. */
  readonly now: number;
}

/** The days from the first result in which a baseline is made; then it is fixed. */
const baselineDays = 21;
/** For how many days a result counts. */
const rollingDays = 32;

/**
 * Judges every endpoint of the models with results (docs/spec/routing.md#benchmarks). An endpoint is flagged when its
 * mean score of the last 32 days is too far below the baseline of any benchmark, or when it has no score while its
 * peers made a baseline.
 */
function judgeBenchmarks(facts: BenchmarkFacts): ReadonlyMap<Endpoint, 'good' | 'flagged'> {
  const qualifying = facts.results.filter(
    ({ benchmark, tasks, at }) => tasks >= benchmarks[benchmark] && at <= facts.now,
  );
  const verdicts = new Map<Endpoint, 'good' | 'flagged'>();
  for (const [id, results] of Map.groupBy(qualifying, ({ model }) => model.toLowerCase())) {
    const model = findModel(facts.catalogue, id);
    if (model === undefined) continue;
    for (const [, runs] of Map.groupBy(results, ({ benchmark }) => benchmark)) {
      judgeModel(model, runs, facts, verdicts);
    }
  }
  return verdicts;
}

function findModel({ models }: Catalogue, id: string): Model | undefined {
  return models.get(id) ?? [...models.values()].find((model) => model.id.toLowerCase() === id);
}

function judgeModel(
  model: Model,
  runs: readonly BenchmarkResult[],
  { now, deviations, peers }: BenchmarkFacts,
  verdicts: Map<Endpoint, 'good' | 'flagged'>,
): void {
  const first = Math.min(...runs.map(({ at }) => at));
  const founding = [...meanScores(runs.filter(({ at }) => at < first + baselineDays * dayLength)).values()];
  if (founding.length < peers) return;
  const baseline = median(founding);
  const lowest = baseline - deviations * deviationAround(baseline, founding);
  const current = meanScores(runs.filter(({ at }) => at > now - rollingDays * dayLength));
  for (const endpoint of model.endpoints) {
    const score = current.get(endpoint.tag.toLowerCase());
    const isGood = score !== undefined && score >= lowest;
    verdicts.set(endpoint, isGood && verdicts.get(endpoint) !== 'flagged' ? 'good' : 'flagged');
  }
}

/** By tag in lowercase. */
function meanScores(runs: readonly BenchmarkResult[]): ReadonlyMap<string, number> {
  const byTag = Map.groupBy(runs, ({ tag }) => tag.toLowerCase());
  return new Map(
    [...byTag].map(([tag, own]) => [tag, own.reduce((sum, { score }) => sum + score, 0) / own.length]),
  );
}

/** Caches the verdicts of a server while time passes and its configuration changes. */
export class BenchmarkVerdicts {
  readonly #facts: () => BenchmarkFacts;
  #judged: BenchmarkFacts | undefined;
  #verdicts: ReadonlyMap<Endpoint, 'good' | 'flagged'> = new Map();

  /** @param facts returns the current facts. */
  constructor(facts: () => BenchmarkFacts) {
    this.#facts = facts;
  }

  of(endpoint: Endpoint): BenchmarkVerdict {
    const facts = this.#facts();
    if (facts.results.length === 0) return undefined;
    if (this.#judged === undefined || differ(this.#judged, facts)) {
      this.#judged = facts;
      this.#verdicts = judgeBenchmarks(facts);
    }
    return this.#verdicts.get(endpoint);
  }
}

/** Results age in days, so an hour makes no difference. */
const staleAfter = 3_600_000;

function differ(before: BenchmarkFacts, after: BenchmarkFacts): boolean {
  return (
    before.catalogue !== after.catalogue ||
    before.results !== after.results ||
    before.deviations !== after.deviations ||
    before.peers !== after.peers ||
    Math.abs(after.now - before.now) > staleAfter
  );
}
