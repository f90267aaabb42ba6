import { type NanoUsd, zeroUsd } from './money.ts';

/**
 * What an account pays for requests served with its own provider credentials (docs/spec/credentials.md#fee).
 */
export interface ByokTerms {
  /** Hundredths of a percent of the list cost: 500 is 5 %. */
  readonly feeBasisPoints: number;
  /** List cost that is free in each UTC month. */
  readonly monthlyAllowance: NanoUsd;
}

const wholeBasis = 10_000n;

/**
 * The fee for a call served with the account's own credential: the allowance of the UTC month is free, and a fraction
 * of the rest is charged (docs/spec/credentials.md#fee), rounded half up.
 * @param listCost The cost of the same usage on the shared endpoint.
 * @param monthBefore The list cost of the account's earlier calls in this month.
 */
export function byokFee(listCost: NanoUsd, monthBefore: NanoUsd, terms: ByokTerms): NanoUsd {
  const free = terms.monthlyAllowance > monthBefore ? terms.monthlyAllowance - monthBefore : 0n;
  if (listCost <= free) return zeroUsd;
  const scaled = (listCost - free) * BigInt(terms.feeBasisPoints);
  return ((scaled + wholeBasis / 2n) / wholeBasis) as NanoUsd;
}
