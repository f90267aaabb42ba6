import type { RateLimit, RateRules } from '../core/limits.ts';
import type { ApiKey, KeyRates } from '../ports/keys.ts';
import type { RateSubject } from '../ports/rate-limits.ts';
import type { Caller } from './caller.ts';

/** Limited subjects that are counted in one atomic step. */
export interface RateGroup {
  /** Where they are counted: an account, or the installation. */
  readonly home: string;
  readonly subjects: readonly RateSubject[];
}

/** The home of the limits of all accounts together. Not the id of an account. */
const serviceHome = 'installation';

/** What is limited about requests of a caller, the account first; undefined without any limit. */
export function rateGroups(
  { key, account }: Pick<Caller, 'key' | 'account'>,
  rules: RateRules,
): readonly RateGroup[] | undefined {
  const limit = account.rates === undefined ? rules.account : { ...rules.account, ...account.rates };
  if (!isLimited(limit) && !isLimited(rules.service) && !isKeyLimited(key, rules)) return undefined;
  const ofAccount: RateSubject[] = [];
  if (isKeyLimited(key, rules)) ofAccount.push(keySubject(key, rules));
  if (isLimited(limit)) ofAccount.push({ kind: 'account', id: account.id, ...limit });
  const groups: RateGroup[] = [];
  if (ofAccount.length > 0) groups.push({ home: account.id, subjects: ofAccount });
  if (isLimited(rules.service)) {
    groups.push({ home: serviceHome, subjects: [{ kind: 'service', id: serviceHome, ...rules.service }] });
  }
  return groups;
}

/** The limits in effect for a key: of its own and those of every key, the lower ones. Null is no limit. */
export function ratesInEffect(key: ApiKey, { key: every }: RateRules): KeyRates {
  return {
    requestsPerMinute: lower(key.requestsPerMinute, every.requestsPerMinute),
    tokensPerMinute: lower(key.tokensPerMinute, every.tokensPerMinute),
    parallel: lower(key.parallel, every.parallel),
  };
}

function keySubject(key: ApiKey, rules: RateRules): RateSubject {
  const { requestsPerMinute, tokensPerMinute, parallel } = ratesInEffect(key, rules);
  return {
    kind: 'key',
    id: key.hash,
    requestsPerMinute: requestsPerMinute ?? undefined,
    tokensPerMinute: tokensPerMinute ?? undefined,
    parallel: parallel ?? undefined,
  };
}

function isKeyLimited(key: ApiKey, rules: RateRules): boolean {
  return (
    key.requestsPerMinute !== null ||
    key.tokensPerMinute !== null ||
    key.parallel !== null ||
    isLimited(rules.key)
  );
}

function isLimited({ requestsPerMinute, tokensPerMinute, parallel }: RateLimit): boolean {
  return requestsPerMinute !== undefined || tokensPerMinute !== undefined || parallel !== undefined;
}

function lower(one: number | null, other: number = Number.POSITIVE_INFINITY): number | null {
  const least = Math.min(one ?? Number.POSITIVE_INFINITY, other);
  return least === Number.POSITIVE_INFINITY ? null : least;
}
