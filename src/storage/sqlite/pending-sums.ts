import { amountAt, type ChargeRow, chargePlace } from '../sql/charge-columns.ts';
import type { SqlValue } from '../sql/statement.ts';
import { spanLength, spans, sumCounts } from '../sql/usage-sums.ts';

/** What calls of one kind add up to in one quarter of an hour. */
interface Sum {
  readonly account: SqlValue;
  readonly start: number;
  readonly key: SqlValue;
  readonly workspace: SqlValue;
  readonly model: SqlValue;
  readonly provider: SqlValue;
  readonly endpoint: SqlValue;
  readonly error: string;
  /** In the order of `sumCounts`. */
  readonly counts: (number | bigint)[];
}

const [quarter, day] = spans;
const place = chargePlace;

/** Sums of calls in memory, in quarters of an hour. */
export class PendingSums {
  readonly #sums = new Map<string, Sum>();
  /** Where the last call was added: calls of one kind mostly come together. */
  #last: Sum | undefined;
  #calls = 0;

  /** How many calls were added, lapsed ones too. */
  get calls(): number {
    return this.#calls;
  }

  /** How many sums there are. */
  get size(): number {
    return this.#sums.size;
  }

  /** Adds a call. A lapsed one counts nowhere, because its true charge may name another time, key or model. */
  add(row: ChargeRow): void {
    this.#calls += 1;
    const details = String(row[place.details]);
    if (details.startsWith('{"lapsed":true')) return;
    // Members come in one order, and the longest text of a call is searched once.
    const usageAt = details.indexOf('"usage":');
    const attemptsAt = details.indexOf('"attempts":', usageAt);
    const [head, middle] = [details.slice(0, usageAt), details.slice(usageAt, attemptsAt)];
    const { counts } = this.#at(row, errorTypeIn(head));
    const isOwn = row[place.isByok] === 1;
    const listCost = amountAt(row, place.listCost);
    add(counts, 0, 1);
    add(counts, 1, has(head, '"errorType":'));
    add(counts, 2, has(head, '"cancelled":'));
    add(counts, 3, details.indexOf(tag, details.indexOf(tag, attemptsAt) + 1) > attemptsAt ? 1 : 0);
    add(counts, 4, has(head, '"streamed":'));
    add(counts, 5, isOwn ? 1 : 0);
    add(counts, 6, has(middle, '"unpriced":'));
    add(counts, 7, has(middle, '"usageEstimated":'));
    add(counts, 8, numberAt(row, place.input));
    add(counts, 9, numberAt(row, place.cached));
    add(counts, 10, numberAt(row, place.output));
    add(counts, 11, numberAt(row, place.reasoning));
    counts[12] = BigInt(counts[12] ?? 0) + amountAt(row, place.cost);
    counts[13] = BigInt(counts[13] ?? 0) + listCost;
    if (isOwn) counts[14] = BigInt(counts[14] ?? 0) + listCost;
  }

  /** The rows of `usage_sums` for quarters of an hour and for days, values in the order of its columns. */
  *rows(): Generator<readonly SqlValue[]> {
    const days = new Map<string, Sum>();
    for (const sum of this.#sums.values()) {
      yield rowOf(sum, quarter);
      const ofDay = { ...sum, start: Math.floor((sum.start * quarter) / day) };
      const name = nameOf(ofDay);
      const known = days.get(name);
      if (known === undefined) days.set(name, { ...ofDay, counts: [...sum.counts] });
      else
        for (const [index, count] of sum.counts.entries())
          known.counts[index] = plus(known.counts[index], count);
    }
    for (const sum of days.values()) yield rowOf(sum, day);
  }

  #at(row: ChargeRow, error: string): Sum {
    const start = Math.floor(Number(row[place.settledAt]) / spanLength(quarter));
    const model = row[place.model] ?? row[place.requestedModel] ?? '';
    const last = this.#last;
    if (
      last?.start === start &&
      last.key === row[place.key] &&
      last.model === model &&
      last.endpoint === (row[place.endpoint] ?? '') &&
      last.provider === (row[place.provider] ?? '') &&
      last.workspace === (row[place.workspace] ?? '') &&
      last.account === row[place.account] &&
      last.error === error
    ) {
      return last;
    }
    const sum: Sum = {
      account: row[place.account] ?? '',
      start,
      key: row[place.key] ?? '',
      workspace: row[place.workspace] ?? '',
      model,
      provider: row[place.provider] ?? '',
      endpoint: row[place.endpoint] ?? '',
      error,
      counts: sumCounts.map(() => 0),
    };
    const name = nameOf(sum);
    const known = this.#sums.get(name) ?? sum;
    this.#sums.set(name, known);
    this.#last = known;
    return known;
  }
}

const tag = '"tag":"';

/** Quotes inside of texts are escaped, so a member's name in quotes is nothing but that. */
function has(details: string, member: string): 0 | 1 {
  return details.includes(member) ? 1 : 0;
}

/** Our own words: nothing in them is escaped. */
function errorTypeIn(details: string): string {
  const start = details.indexOf('"errorType":"');
  if (start === -1) return '';
  const from = start + '"errorType":"'.length;
  return details.slice(from, details.indexOf('"', from));
}

function numberAt(row: ChargeRow, index: number): number {
  return Number(row[index] ?? 0);
}

function add(counts: (number | bigint)[], index: number, more: number): void {
  if (more !== 0) counts[index] = Number(counts[index] ?? 0) + more;
}

function plus(one: number | bigint | undefined, other: number | bigint): bigint {
  return BigInt(one ?? 0) + BigInt(other);
}

function nameOf({ account, start, key, workspace, model, provider, endpoint, error }: Sum): string {
  return `${account}\n${start}\n${key}\n${workspace}\n${model}\n${provider}\n${endpoint}\n${error}`;
}

function rowOf(sum: Sum, span: number): readonly SqlValue[] {
  const { account, start, key, workspace, model, provider, endpoint, error, counts } = sum;
  return [account, span, start, key, workspace, model, provider, endpoint, error, ...counts];
}
