import { formatUsd } from '../core/money.ts';
import type { KeyWithSpend } from '../operations/keys/key-with-spend.ts';
import type { ApiKey } from '../ports/keys.ts';
import { isoTime } from '../util/iso-time.ts';
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
export function keyRow({ key, spend }: KeyWithSpend, now: number): readonly string[] {
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

function stateOf({ disabled, expiresAt }: ApiKey, now: number): string {
  if (disabled) return 'disabled';
  if (expiresAt === null) return 'active';
  return expiresAt <= now ? 'expired' : `until ${isoTime(expiresAt).slice(0, 10)}`;
}
