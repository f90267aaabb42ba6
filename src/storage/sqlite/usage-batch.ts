import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { amountAt, type ChargeRow, chargePlace } from '../sql/charge-columns.ts';
import type { ChargeDetails } from '../sql/charge-line.ts';
import type { SqlValue } from '../sql/statement.ts';
import { spanLength, spans, sumCounts, sumKinds } from '../sql/usage-sums.ts';

/** What calls of one kind add to the sums of one span. */
interface Sum {
  readonly kind: readonly SqlValue[];
  readonly counts: bigint[];
}

/** Adds calls to the sums that the dashboard reads, each sum once a batch. */
export class UsageBatch {
  readonly #sums = new Map<string, Sum>();

  add(row: ChargeRow): void {
    const details = JSON.parse(String(row[chargePlace.details])) as ChargeDetails;
    // Its true charge may name another time, key or model.
    if (details.lapsed === true) return;
    const counts = countsOf(row, details);
    for (const span of spans) {
      const sum = this.#at(kindOf(row, details, span));
      for (const [index, count] of counts.entries()) sum[index] = (sum[index] ?? 0n) + count;
    }
  }

  /** Writes what was added. */
  write(statement: StatementSync): void {
    for (const { kind, counts } of this.#sums.values()) statement.run(...kind, ...counts);
  }

  #at(kind: readonly SqlValue[]): bigint[] {
    const name = kind.join('\n');
    const found = this.#sums.get(name);
    if (found !== undefined) return found.counts;
    const counts = sumCounts.map(() => 0n);
    this.#sums.set(name, { kind, counts });
    return counts;
  }
}

/** The statement that adds to a sum. @throws when the schema is not there yet. */
export function prepareSums(database: DatabaseSync): StatementSync {
  const columns = [...sumKinds, ...sumCounts];
  return database.prepare(
    `insert into usage_sums (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})
     on conflict do update set ${sumCounts.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`,
  );
}

function kindOf(row: ChargeRow, { errorType = '' }: ChargeDetails, span: number): readonly SqlValue[] {
  const place = chargePlace;
  return [
    row[place.account] ?? '',
    span,
    Math.floor(Number(row[place.settledAt]) / spanLength(span)),
    row[place.key] ?? '',
    row[place.workspace] ?? '',
    row[place.model] ?? row[place.requestedModel] ?? '',
    row[place.provider] ?? '',
    row[place.endpoint] ?? '',
    errorType,
  ];
}

/** In the order of `sumCounts`. */
function countsOf(row: ChargeRow, details: ChargeDetails): readonly bigint[] {
  const place = chargePlace;
  const isOwn = row[place.isByok] === 1;
  const listCost = amountAt(row, place.listCost);
  const flag = (value: unknown) => (value === undefined || value === false ? 0n : 1n);
  return [
    1n,
    flag(details.errorType),
    flag(details.cancelled),
    details.attempts.length > 1 ? 1n : 0n,
    flag(details.streamed),
    isOwn ? 1n : 0n,
    flag(details.unpriced),
    flag(details.usageEstimated),
    amountAt(row, place.input),
    amountAt(row, place.cached),
    amountAt(row, place.output),
    amountAt(row, place.reasoning),
    amountAt(row, place.cost),
    listCost,
    isOwn ? listCost : 0n,
  ];
}
