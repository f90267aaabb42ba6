import type { Endpoint } from '../../../core/catalogue.ts';
import type { Clock } from '../../../ports/clock.ts';
import type {
  AnswerFacts,
  AttemptRecord,
  EndpointAccess,
  EndpointStatistics,
  Metric,
  MetricWindow,
  OutcomeFacts,
  ToolCallCounts,
} from '../../../ports/endpoint-statistics.ts';
import { OutcomeCell, RollingCounts, RollingSlots } from './outcome-cell.ts';
import { type ByWindow, byWindow, hour, minute, type WindowSize } from './windows.ts';

/** The array grows in steps, so that slowly spreading values do not copy the counts each time. */
const step = 16;

/** Counts of values by bin; stores only the range of bins in use. */
class BinCounts {
  #first = 0;
  #counts = new Uint32Array(0);
  #total = 0;

  get total(): number {
    return this.#total;
  }

  add(bin: number, count = 1): void {
    if (bin < this.#first || bin >= this.#first + this.#counts.length) this.#makeRoom(bin);
    const index = bin - this.#first;
    this.#counts[index] = (this.#counts[index] ?? 0) + count;
    this.#total += count;
  }

  remove(bin: number, count = 1): void {
    const index = bin - this.#first;
    this.#counts[index] = (this.#counts[index] ?? 0) - count;
    this.#total -= count;
  }

  /** Calls back for each non-empty bin. */
  forEach(onBin: (bin: number, count: number) => void): void {
    for (const [index, count] of this.#counts.entries()) if (count > 0) onBin(this.#first + index, count);
  }

  /** For each of the ascending `ranks`, which start at one, the bin of the value with that rank. */
  binsAt(ranks: readonly number[]): number[] {
    const bins: number[] = [];
    let seen = 0;
    for (let index = 0; index < this.#counts.length && bins.length < ranks.length; index += 1) {
      seen += this.#counts[index] ?? 0;
      while (seen >= (ranks[bins.length] ?? Number.POSITIVE_INFINITY)) bins.push(this.#first + index);
    }
    return bins;
  }

  clear(): void {
    this.#counts = new Uint32Array(0);
    this.#total = 0;
  }

  #makeRoom(bin: number): void {
    const low = bin - (bin % step);
    const first = this.#counts.length === 0 ? low : Math.min(this.#first, low);
    const end = Math.max(this.#first + this.#counts.length, low + step);
    const wider = new Uint32Array(end - first);
    if (this.#counts.length > 0) wider.set(this.#counts, this.#first - first);
    this.#counts = wider;
    this.#first = first;
  }
}

/** Up to this length, a list of bins is smaller than counts for all bins in their range. */
const longestList = 64;

/** The values of one slot of a window: a list of bins while they are few, counts when they are many. */
class SlotValues {
  #list: number[] | undefined;
  #counts: BinCounts | undefined;

  add(bin: number): void {
    if (this.#counts !== undefined) {
      this.#counts.add(bin);
      return;
    }
    this.#list ??= [];
    this.#list.push(bin);
    if (this.#list.length > longestList) this.#startCounting(this.#list);
  }

  /** Subtracts all values from `sum`, to which they were added too, and empties the slot. */
  takeOutOf(sum: BinCounts): void {
    for (const bin of this.#list ?? []) sum.remove(bin);
    this.#counts?.forEach((bin, count) => {
      sum.remove(bin, count);
    });
    this.#list = undefined;
    this.#counts = undefined;
  }

  #startCounting(list: readonly number[]): void {
    this.#counts = new BinCounts();
    for (const bin of list) this.#counts.add(bin);
    this.#list = undefined;
  }
}

/** Percentiles of positive values over a sliding window, within 1.5 % of the exact ones. */
class RollingPercentiles {
  readonly #slots: RollingSlots;
  readonly #values: readonly SlotValues[];
  /** All values in the window. */
  readonly #sum = new BinCounts();
  readonly #expire: (place: number) => void;

  /** @param length of the window in milliseconds. */
  constructor(length: number, slotCount: number, now: number) {
    this.#slots = new RollingSlots(length, slotCount, now);
    this.#values = Array.from({ length: slotCount }, () => new SlotValues());
    this.#expire = (place) => this.#values[place]?.takeOutOf(this.#sum);
  }

  add(value: number, now: number): void {
    this.#slots.advance(now, this.#expire);
    const bin = binOf(value);
    this.#values[this.#slots.place]?.add(bin);
    this.#sum.add(bin);
  }

  count(now: number): number {
    this.#slots.advance(now, this.#expire);
    // Frees a range that was once wide.
    if (this.#sum.total === 0) this.#sum.clear();
    return this.#sum.total;
  }

  /**
   * For each of the ascending `percents`, the value that so many percent do not exceed; undefined without values.
   */
  percentiles(percents: readonly number[], now: number): number[] | undefined {
    const count = this.count(now);
    if (count === 0) return undefined;
    const ranks = percents.map((percent) => Math.max(1, Math.ceil((percent / 100) * count)));
    return this.#sum.binsAt(ranks).map(valueOfBin);
  }
}

/** The largest relative error of a bin's value. */
const error = 0.015;
const growth = (1 + error) / (1 - error);
const logGrowth = Math.log(growth);
/** A tenth of a millisecond, or one token in ten seconds: smaller measurements have no use here. */
const smallest = 0.1;
const largest = 1e7;

/** The bin of a positive value. Bins grow with their values, so that each is exact within 1.5 %. */
function binOf(value: number): number {
  const inside = Math.min(Math.max(value, smallest), largest);
  return Math.ceil(Math.log(inside / smallest) / logGrowth);
}

/** The representative value of a bin. */
function valueOfBin(bin: number): number {
  return (smallest * 2 * growth ** bin) / (growth + 1);
}

const windows: ByWindow<MetricWindow, WindowSize> = {
  '5m': [5 * minute, 30],
  '30m': [30 * minute, 30],
  '1d': [24 * hour, 24],
};
const toolCallWindow: WindowSize = [2 * hour, 24];
const [requests, marked] = [0, 1];

/** The recent answers of one endpoint. */
class AnswerCell implements AnswerFacts {
  /** Time of the last record, by the given clock. */
  lastRecordedAt: number;
  readonly #clock: Clock;
  readonly #metrics: Partial<Record<Metric, ByWindow<MetricWindow, RollingPercentiles>>> = {};
  #toolCalls: RollingCounts | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.lastRecordedAt = clock.now();
  }

  measure(metric: Metric, value: number): void {
    const now = this.#clock.now();
    this.lastRecordedAt = now;
    const values =
      this.#metrics[metric] ??
      byWindow(windows, (length, slots) => new RollingPercentiles(length, slots, now));
    this.#metrics[metric] = values;
    values['5m'].add(value, now);
    values['30m'].add(value, now);
    values['1d'].add(value, now);
  }

  recordToolCalls(valid: boolean): void {
    const now = this.#clock.now();
    this.lastRecordedAt = now;
    this.#toolCalls ??= new RollingCounts(...toolCallWindow, 2, now);
    this.#toolCalls.add(requests, now);
    if (!valid) this.#toolCalls.add(marked, now);
  }

  samples(metric: Metric, window: MetricWindow): number {
    return this.#metrics[metric]?.[window].count(this.#clock.now()) ?? 0;
  }

  percentiles(metric: Metric, window: MetricWindow, percents: readonly number[]): number[] | undefined {
    return this.#metrics[metric]?.[window].percentiles(percents, this.#clock.now());
  }

  get toolCalls(): ToolCallCounts {
    const totals = this.#toolCalls?.totals(this.#clock.now());
    return { requests: totals?.[requests] ?? 0, marked: totals?.[marked] ?? 0 };
  }
}

/** Identifies an endpoint for all processes of an installation. */
export type EndpointName = Pick<Endpoint, 'tag' | 'upstreamModel'> & {
  readonly provider: Pick<Endpoint['provider'], 'slug'>;
};

/** The record of an attempt, with the endpoint identified by name. */
export type NamedAttempt = Omit<AttemptRecord, 'endpoint'> & { readonly endpoint: EndpointName };

/** An endpoint takes about 20 kB; one with 20 answers per second all day takes 330 kB. */
const usualLimit = 5_000;

/** Statistics of one process, in its memory. */
export class MemoryEndpointStatistics implements EndpointStatistics {
  readonly #outcomes: Cells<OutcomeCell>;
  readonly #answers: Cells<AnswerCell>;
  /** Caches keys for the hot path; a new catalogue brings new endpoint objects with the same keys. */
  readonly #keys = new WeakMap<EndpointName, string>();

  /**
   * @param clock must be monotonic.
   * @param limit of endpoints, and of pairs of endpoint and credential.
   */
  constructor(clock: Clock, limit: number = usualLimit) {
    this.#outcomes = new Cells(clock, limit, () => new OutcomeCell(clock));
    this.#answers = new Cells(clock, limit, () => new AnswerCell(clock));
  }

  record({ endpoint, credentialId, outcome, timeToFirstToken, throughput, retryAfter }: NamedAttempt): void {
    if (outcome !== undefined)
      this.#outcomes.open(this.#key(endpoint, credentialId)).record(outcome, retryAfter);
    if (timeToFirstToken === undefined && throughput === undefined) return;
    const answers = this.#answers.open(this.#key(endpoint));
    if (timeToFirstToken !== undefined) answers.measure('latency', timeToFirstToken);
    if (throughput !== undefined) answers.measure('throughput', throughput);
  }

  recordToolCalls(endpoint: EndpointName, valid: boolean): void {
    this.#answers.open(this.#key(endpoint)).recordToolCalls(valid);
  }

  outcomes({ endpoint, credentialId }: EndpointAccess): OutcomeFacts | undefined {
    return this.#outcomes.find(this.#key(endpoint, credentialId));
  }

  answers(endpoint: Endpoint): AnswerFacts | undefined {
    return this.#answers.find(this.#key(endpoint));
  }

  #key(endpoint: EndpointName, credentialId?: string): string {
    let key = this.#keys.get(endpoint);
    if (key === undefined) {
      key = `${endpoint.provider.slug} ${endpoint.tag} ${endpoint.upstreamModel}`;
      this.#keys.set(endpoint, key);
    }
    return credentialId === undefined ? key : `${key} ${credentialId}`;
  }
}

/** Older records are outside the longest window. */
const forgottenAfter = 24 * hour;
/** The share that is evicted together, so that not every new entry needs a scan. */
const forgottenShare = 0.1;

/** Cells by key; evicts those with the oldest records when there are too many. */
class Cells<Cell extends { readonly lastRecordedAt: number }> {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #create: () => Cell;
  readonly #cells = new Map<string, Cell>();

  /** @param limit of cells. */
  constructor(clock: Clock, limit: number, create: () => Cell) {
    this.#clock = clock;
    this.#limit = limit;
    this.#create = create;
  }

  /** The cell of a key, if it has a record of the last day. */
  find(key: string): Cell | undefined {
    const cell = this.#cells.get(key);
    return cell !== undefined && this.#clock.now() - cell.lastRecordedAt < forgottenAfter ? cell : undefined;
  }

  /** The cell of a key; created if missing. */
  open(key: string): Cell {
    const known = this.#cells.get(key);
    if (known !== undefined) return known;
    if (this.#cells.size >= this.#limit) this.#forget();
    const cell = this.#create();
    this.#cells.set(key, cell);
    return cell;
  }

  #forget(): void {
    const bySilence = [...this.#cells].sort(
      ([, left], [, right]) => left.lastRecordedAt - right.lastRecordedAt,
    );
    for (const [key] of bySilence.slice(0, Math.ceil(this.#limit * forgottenShare))) this.#cells.delete(key);
  }
}
