import type { Catalogue, Model } from '../core/catalogue.ts';
import { type PicoUsd, sumUsd, zeroUsd } from '../core/money.ts';
import type { Clock } from '../ports/clock.ts';
import type { GenerationStore } from '../ports/generations.ts';
import type { RouterStatistics, TaskTraffic } from '../ports/router-statistics.ts';
import type { RouterTrafficRow, RouterTrafficStore } from '../ports/router-traffic.ts';
import { Refreshed } from '../util/refreshed.ts';
import { dayLength, utcDay } from '../util/utc-windows.ts';

/** How old figures may be, in milliseconds. */
const freshFor = 300_000;
/** UTC days that count, today included. */
const days = 7;

/** Where the figures come from. */
export interface TrafficSources {
  readonly routerTraffic: RouterTrafficStore;
  readonly generations: Pick<GenerationStore, 'usage'>;
  readonly catalogue: () => Catalogue;
  readonly clock: Clock;
}

type ByTask = ReadonlyMap<string, ReadonlyMap<string, TaskTraffic>>;

/** The part of the input of models that was read from a cache. */
type CachedShares = ReadonlyMap<string, number>;

const nothing: ReadonlyMap<string, TaskTraffic> = new Map();

/**
 * The traffic of the last seven UTC days as the database has it (docs/spec/routers.md#traffic). Read again at most every five
 * minutes, and only while routers ask. What cannot be read leaves the last figures, or none.
 */
export class LiveTraffic implements RouterStatistics {
  readonly #sources: TrafficSources;
  /** Rows by day. Days before yesterday are over and read once. */
  readonly #byDay = new Map<number, RouterTrafficRow[]>();
  readonly #tasks: Refreshed<ByTask>;
  readonly #shares: Refreshed<CachedShares>;

  constructor(sources: TrafficSources) {
    this.#sources = sources;
    this.#tasks = new Refreshed(() => this.#readTasks(), freshFor, sources.clock);
    this.#shares = new Refreshed(() => this.#readShares(), freshFor, sources.clock);
  }

  /** Resolves when the figures were read once, or could not be. Never fails. */
  async ready(needsInputPrices: boolean): Promise<void> {
    await this.#tasks.first();
    if (needsInputPrices) await this.#shares.first();
  }

  traffic(task: string): ReadonlyMap<string, TaskTraffic> {
    return this.#tasks.value?.get(task) ?? nothing;
  }

  inputPrice(modelId: string): PicoUsd | undefined {
    const share = this.#shares.value?.get(modelId);
    const model = this.#sources.catalogue().models.get(modelId);
    return share === undefined || model === undefined ? undefined : blendedPrice(model, share);
  }

  async #readTasks(): Promise<ByTask> {
    const today = utcDay(this.#sources.clock.now());
    const first = today - days + 1;
    const since = Math.max(first, this.#byDay.size === 0 ? first : today - 1);
    const rows = await this.#sources.routerTraffic.read(since * dayLength);
    for (const day of [...this.#byDay.keys()]) if (day < first || day >= since) this.#byDay.delete(day);
    for (let day = since; day <= today; day += 1) this.#byDay.set(day, []);
    for (const row of rows) this.#byDay.get(row.day)?.push(row);
    return sumByTask([...this.#byDay.values()].flat());
  }

  async #readShares(): Promise<CachedShares> {
    const since = (utcDay(this.#sources.clock.now()) - days + 1) * dayLength;
    const rows = await this.#sources.generations.usage(since, 'model');
    const used = rows.filter(({ inputTokens }) => inputTokens > 0);
    return new Map(used.map(({ group, inputTokens, cachedTokens }) => [group, cachedTokens / inputTokens]));
  }
}

function sumByTask(rows: readonly RouterTrafficRow[]): ByTask {
  const byTask = new Map<string, Map<string, TaskTraffic>>();
  for (const { task, model, generations, listCost } of rows) {
    const models = byTask.get(task) ?? new Map<string, TaskTraffic>();
    const known = models.get(model);
    models.set(model, {
      spend: sumUsd(known?.spend ?? zeroUsd, listCost),
      generations: (known?.generations ?? 0) + generations,
    });
    byTask.set(task, models);
  }
  return byTask;
}

/** What a token of input costs at the cheapest endpoint when a part of them is read from its cache. */
function blendedPrice({ endpoints }: Model, share: number): PicoUsd | undefined {
  let least: PicoUsd | undefined;
  for (const { price, status } of endpoints) {
    if (price === undefined || status !== undefined) continue;
    const { prompt, cacheRead = prompt } = price;
    const saved = BigInt(Math.round(Number(prompt - cacheRead) * share));
    const blended = (prompt - saved) as PicoUsd;
    if (least === undefined || blended < least) least = blended;
  }
  return least;
}
