import type { Config } from '../../config/config.ts';
import { mayKeep } from '../../content/content-rules.ts';
import { nanoFromInteger, usdOrNull, usdToNumber } from '../../core/money.ts';
import type { Services } from '../../pipeline/services.ts';
import { budgetIntervals } from '../../ports/budgets.ts';
import { roleOfKey } from '../../ports/keys.ts';
import type { Storage } from '../../ports/storage.ts';
import { limitRemaining } from '../../settlement/admit.ts';
import type { Caller } from '../../settlement/caller.ts';
import { freeRequestLimits } from '../../settlement/free-request-limits.ts';
import { ratesInEffect } from '../../settlement/request-rates.ts';
import type { Static } from '../../util/json-schema.ts';
import { limitsOf, type NearLimit } from '../budgets/budgets.ts';
import { type KeyBudget, type KeyInformation, showRates, showWindows } from './show.ts';

/** What it reads. */
export interface KeyServices extends Pick<Services, 'clock' | 'freeRequests' | 'limits'> {
  readonly storage: Pick<Storage, 'callers' | 'ledger' | 'workspaces'>;
  readonly config: Pick<Config, 'contentLogging'>;
}

/**
 * `GET /key`: what the caller's own key may do and has spent, from the books (docs/spec/accounts.md#key-information).
 * @param secretEndsAt When the secret in use ends, Unix milliseconds.
 */
export async function describeKey(
  caller: Caller,
  secretEndsAt: number | undefined,
  services: KeyServices,
): Promise<Static<typeof KeyInformation>['data']> {
  const { key, account } = caller;
  const { callers, ledger } = services.storage;
  const now = services.clock.now();
  const [spend, stored, balance, freeToday, workspace] = await Promise.all([
    ledger.keySpend(key.hash, now),
    callers.read([key.hash], now).then((found) => found.get(key.hash)),
    ledger.balance(account.id),
    services.freeRequests.countedToday(account.id),
    services.storage.workspaces.find(account.id, key.workspaceId ?? ''),
  ]);
  const { perDay } = freeRequestLimits(balance, services.limits().freeModels);
  const isManagement = key.kind === 'management';
  return {
    label: key.label,
    limit: usdOrNull(key.limit),
    limit_reset: key.limitReset,
    limit_remaining: usdOrNull(limitRemaining(key, stored?.spend ?? caller.spend)),
    include_byok_in_limit: key.includeByokInLimit,
    ...showWindows('usage', spend.usage),
    ...showWindows('byok_usage', spend.byokUsage),
    is_free_tier: balance.purchasedTotal <= 0n,
    is_management_key: isManagement,
    is_provisioning_key: isManagement,
    ...(isManagement && { role: roleOfKey(key) }),
    creator_user_id: key.creatorUserId,
    organization_id: account.kind === 'organization' ? account.id : null,
    // Null once it was deleted; a slug of another one may look like its id.
    workspace_id: workspace?.id === key.workspaceId ? key.workspaceId : null,
    ...(key.expiresAt === null ? {} : { expires_at: new Date(key.expiresAt).toISOString() }),
    ...(secretEndsAt === undefined ? {} : { secret_ends_at: new Date(secretEndsAt).toISOString() }),
    allowed_data_regions: ['global'],
    free_model_daily_requests: {
      used: freeToday,
      limit: perDay,
      remaining: Math.max(0, perDay - freeToday),
    },
    // A key that was deleted meanwhile has none.
    ...describeBudgets(stored === undefined ? [] : limitsOf(stored, callers.calendar.windowsAt(now), String)),
    content_logging: keepsContentOf(caller, services.config.contentLogging.enabled),
    ...showRates(ratesInEffect(key, services.limits().rates)),
    rate_limit: { requests: -1, interval: '1h', note: 'Deprecated: ignore this field.' },
  };
}

/** Whether what is said with a key may be kept, in this request or another: its part of requests is not looked at. */
function keepsContentOf({ key, account, defaults }: Caller, isEnabled: boolean): boolean {
  if (!isEnabled || account.zeroRetention) return false;
  return mayKeep({ key, account, ...(defaults && { defaults }) });
}

type ShownBudget = Static<typeof KeyBudget>;

/** What a request of a key has to fit, in the order in which it is checked, and what would refuse it first. */
interface ShownBudgets {
  readonly budgets: readonly ShownBudget[];
  readonly effective_budget: ShownBudget | null;
}

/** The limits of a key: budgets of guardrails and of the workspace, and its own (docs/spec/accounts.md#key-information). */
function describeBudgets(limits: readonly NearLimit[]): ShownBudgets {
  const own = limits.filter(({ scope }) => scope === 'key');
  const others = limits.filter(({ scope }) => scope !== 'key');
  const budgets = [...others.toSorted(broadestFirst), ...own].map(showBudget);
  const spent = budgets.find(({ remaining_usd: left }) => left <= 0);
  const least = budgets.toSorted((one, other) => one.remaining_usd - other.remaining_usd)[0];
  return { budgets, effective_budget: spent ?? least ?? null };
}

/** Of budgets of one kind the one of the broadest interval refuses first; the order of kinds stays. */
function broadestFirst(one: NearLimit, other: NearLimit): number {
  if (one.scope !== other.scope) return 0;
  return budgetIntervals.indexOf(other.interval) - budgetIntervals.indexOf(one.interval);
}

function showBudget({
  scope,
  source,
  interval,
  limit,
  spent,
  includeByok,
  resetsAt,
}: NearLimit): ShownBudget {
  return {
    scope: scope === 'key' ? 'key_limit' : scope,
    budget_id: scope === 'workspace' ? source : null,
    guardrail_id: scope === 'workspace' || scope === 'key' ? null : source,
    limit_usd: usdToNumber(limit),
    spend_usd: usdToNumber(spent),
    remaining_usd: usdToNumber(nanoFromInteger(limit - spent)),
    include_byok: includeByok,
    reset_interval: interval === 'lifetime' ? null : interval,
    resets_at: resetsAt ?? null,
  };
}
