import { usdOrNull, usdToNumber } from '../../core/money.ts';
import type { ApiKey, KeySpend, SpendWindows } from '../../ports/keys.ts';
import { limitRemaining } from '../../settlement/admit.ts';
import type { JsonObject } from '../../util/json.ts';

/** A key as the management interface shows it (accounts-and-limits 1.4); never the key itself. */
export function showKey(key: ApiKey, spend: KeySpend): JsonObject {
  const remaining = limitRemaining(key, spend);
  return {
    hash: key.hash,
    name: key.name,
    label: key.label,
    disabled: key.disabled,
    limit: usdOrNull(key.limit),
    limit_remaining: usdOrNull(remaining),
    limit_reset: key.limitReset,
    include_byok_in_limit: key.includeByokInLimit,
    ...showWindows('usage', spend.usage),
    ...showWindows('byok_usage', spend.byokUsage),
    created_at: new Date(key.createdAt).toISOString(),
    updated_at: key.updatedAt === null ? null : new Date(key.updatedAt).toISOString(),
    ...(key.expiresAt === null ? {} : { expires_at: new Date(key.expiresAt).toISOString() }),
    creator_user_id: key.creatorUserId,
    external_user: key.externalUser,
    workspace_id: key.workspaceId,
  };
}

/** What was spent, under a name and that name with each window. */
export function showWindows(name: string, spend: SpendWindows): JsonObject {
  return {
    [name]: usdToNumber(spend.total),
    [`${name}_daily`]: usdToNumber(spend.daily),
    [`${name}_weekly`]: usdToNumber(spend.weekly),
    [`${name}_monthly`]: usdToNumber(spend.monthly),
  };
}
