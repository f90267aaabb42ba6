import { formatUsd, usdOrNull, usdToNumber } from '../core/money.ts';
import type { ApiKey, KeySpend } from '../ports/keys.ts';
import type { Column } from './format-table.ts';

const shownHash = 12;

/** Columns of the table of keys. */
export const keyColumns: readonly Column[] = [
  { heading: 'HASH' },
  { heading: 'LABEL' },
  { heading: 'NAME' },
  { heading: 'KIND' },
  { heading: 'STATE' },
  { heading: 'SPENT USD', align: 'right' },
  { heading: 'LIMIT USD', align: 'right' },
];

/** A key as a row of the table. */
export function keyRow(key: ApiKey, spend: KeySpend, now: number): readonly string[] {
  const reset = key.limitReset === null ? '' : ` ${key.limitReset}`;
  return [
    key.hash.slice(0, shownHash),
    key.label,
    key.name,
    key.kind,
    stateOf(key, now),
    formatUsd(spend.usage.total),
    key.limit === null ? '-' : `${formatUsd(key.limit)}${reset}`,
  ];
}

/** A key as JSON; never holds the raw key. */
export function showKey(key: ApiKey, spend?: KeySpend) {
  return {
    hash: key.hash,
    label: key.label,
    name: key.name,
    kind: key.kind,
    account_id: key.accountId,
    workspace_id: key.workspaceId,
    disabled: key.disabled,
    limit: usdOrNull(key.limit),
    limit_reset: key.limitReset,
    include_byok_in_limit: key.includeByokInLimit,
    expires_at: isoTime(key.expiresAt),
    created_at: isoTime(key.createdAt),
    ...(spend && {
      usage: usdToNumber(spend.usage.total),
      usage_daily: usdToNumber(spend.usage.daily),
      usage_weekly: usdToNumber(spend.usage.weekly),
      usage_monthly: usdToNumber(spend.usage.monthly),
    }),
  };
}

function stateOf({ disabled, expiresAt }: ApiKey, now: number): string {
  if (disabled) return 'disabled';
  if (expiresAt === null) return 'active';
  return expiresAt <= now ? 'expired' : `until ${isoTime(expiresAt)?.slice(0, 10)}`;
}

function isoTime(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
