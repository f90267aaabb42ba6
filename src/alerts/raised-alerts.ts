import type { TimeRange } from '../core/limit-calendar.ts';
import { type NanoUsd, usdToNumber } from '../core/money.ts';
import type { Account } from '../ports/accounts.ts';
import type { AlertPlace, NewAlert } from '../ports/alerts.ts';
import type { StoredCaller } from '../ports/callers.ts';
import type { Destination, DestinationHealth } from '../ports/destinations.ts';
import type { ApiKey } from '../ports/keys.ts';
import { isPrepaid, spentOfLimit } from '../settlement/admit.ts';
import { isoTime } from '../util/iso-time.ts';
import { dayLength } from '../util/utc-windows.ts';
import type { AlertRules } from './alert-rules.ts';
import { budgetAlerts } from './budget-alerts.ts';
import { afterwards, newAlert } from './new-alert.ts';
import { crossedOf, type Moment } from './thresholds.ts';

const hourLength = 3_600_000;

/** What callers' money means for alerts. */
export interface AlertNews {
  /** Thresholds that are crossed now; most were so before. */
  readonly crossed: readonly NewAlert[];
  /** Places where nothing is crossed any more: the next time is another alert. */
  readonly over: readonly AlertPlace[];
}

/** The subject of alerts about a key. */
export function keySubject({ hash }: Pick<ApiKey, 'hash'>): string {
  return `key ${hash}`;
}

/** The subject of alerts about an account. */
export function accountSubject({ id }: Pick<Account, 'id'>): string {
  return `account ${id}`;
}

/**
 * Compares what a caller has spent and has left with the thresholds (docs/spec/alerts.md#thresholds).
 */
export function alertNews(caller: StoredCaller, rules: AlertRules, moment: Moment): AlertNews {
  const { crossed, over } = balanceNews(caller, rules, moment.now);
  const reached = [...limitAlerts(caller, rules, moment), ...budgetAlerts(caller, rules, moment)];
  return { crossed: [...crossed, ...reached], over };
}

/** A limit that was changed is another window. */
function limitAlerts(
  { key, spend }: StoredCaller,
  { thresholds }: AlertRules,
  { now, windows }: Moment,
): readonly NewAlert[] {
  const { limit, limitReset } = key;
  if (spend === undefined || limit === null || limit === 0n) return [];
  const spent = spentOfLimit(key, spend);
  const window = limitReset === null ? undefined : windows[limitReset];
  return crossedOf(thresholds, spent, limit).map((threshold) =>
    newAlert(
      {
        subject: keySubject(key),
        threshold: String(threshold),
        window: `${limit} ${windowName(key, window)}`,
      },
      {
        type: 'key.limit',
        now,
        expiresAt: window === undefined ? null : window.end + afterwards,
        data: {
          account_id: key.accountId,
          workspace_id: key.workspaceId,
          object: { type: 'key', id: key.hash, name: key.name, label: key.label },
          threshold,
          limit_usd: usdToNumber(limit),
          spend_usd: usdToNumber(spent),
          resets_at: window === undefined ? null : isoTime(window.end),
        },
      },
    ),
  );
}

function windowName({ limitReset }: ApiKey, window: TimeRange | undefined): string {
  return `${limitReset ?? 'total'} ${(window?.start ?? 0) / dayLength}`;
}

/** A balance is low once, until it was a tenth above the threshold. */
function balanceNews({ account, balance }: StoredCaller, rules: AlertRules, now: number): AlertNews {
  const none: AlertNews = { crossed: [], over: [] };
  if (!isPrepaid(account)) return none;
  const place = { subject: accountSubject(account), threshold: 'balance', window: 'low' };
  const left: NanoUsd = balance.balance;
  if (left * 10n > rules.balance * 11n) return { crossed: [], over: [place] };
  if (left >= rules.balance) return none;
  const data = {
    account_id: account.id,
    workspace_id: null,
    object: { type: 'account', id: account.id, name: account.name },
    limit_usd: usdToNumber(rules.balance),
    balance_usd: usdToNumber(left),
    resets_at: null,
  };
  return { crossed: [newAlert(place, { type: 'balance.low', now, expiresAt: null, data })], over: [] };
}

/** The UTC hour that holds a moment, in Unix milliseconds. */
export function hourOf(now: number): { readonly from: number; readonly to: number } {
  const from = Math.floor(now / hourLength) * hourLength;
  return { from, to: from + hourLength };
}

/** An alert about what an account was charged in this hour; undefined while that is not above the limit. */
export function spendAlert(
  account: Account,
  spent: NanoUsd,
  { spendPerHour: limit }: AlertRules,
  now: number,
): NewAlert | undefined {
  if (limit === undefined || spent <= limit) return undefined;
  const { from, to } = hourOf(now);
  const place = { subject: accountSubject(account), threshold: 'hour', window: `${limit} ${from}` };
  const data = {
    account_id: account.id,
    workspace_id: null,
    object: { type: 'account', id: account.id, name: account.name },
    threshold: 1,
    limit_usd: usdToNumber(limit),
    spend_usd: usdToNumber(spent),
    resets_at: isoTime(to),
  };
  return newAlert(place, { type: 'spend.rate', now, expiresAt: to + afterwards, data });
}

/** An alert that says only that alerts arrive. */
export function testAlert(now: number): NewAlert {
  const place = { subject: 'test', threshold: '', window: String(now) };
  const data = { account_id: null, workspace_id: null, object: null };
  return newAlert(place, { type: 'test', now, expiresAt: now, data });
}

/** A destination that was paused is reported once, until something was taken again. */
export function destinationPlace({ id }: Pick<Destination, 'id'>): AlertPlace {
  return { subject: `destination ${id}`, threshold: 'failing', window: 'failing' };
}

/** An alert that traces of a workspace are not taken where its owner wants them. */
export function destinationAlert(
  destination: Destination,
  { status, reason, succeededAt }: DestinationHealth,
  now: number,
): NewAlert {
  const { accountId, workspaceId, id, name, type } = destination;
  const data = {
    account_id: accountId,
    workspace_id: workspaceId,
    object: { type: 'destination', id, name, kind: type },
    status: status ?? null,
    reason: reason ?? null,
    succeeded_at: succeededAt === undefined ? null : isoTime(succeededAt),
  };
  const expiresAt = now + 30 * dayLength;
  return newAlert(destinationPlace(destination), { type: 'destination.failing', now, expiresAt, data });
}

/** An alert that the books of a day differ from their entries in some places. */
export function differenceAlert(count: number, now: number): NewAlert {
  const day = Math.floor(now / dayLength);
  const place = { subject: 'ledger', threshold: 'difference', window: String(day) };
  const data = { account_id: null, workspace_id: null, object: { type: 'ledger' }, differences: count };
  const expiresAt = (day + 1) * dayLength + afterwards;
  return newAlert(place, { type: 'ledger.difference', now, expiresAt, data });
}
