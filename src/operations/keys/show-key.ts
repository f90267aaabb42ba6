import { usdOrNull, usdToNumber } from '../../core/money.ts';
import {
  type ApiKey,
  type KeyRates,
  type KeySpend,
  plainKeySettings,
  type SpendWindows,
} from '../../ports/keys.ts';
import { limitRemaining } from '../../settlement/admit.ts';
import { isoTime, isoTimeOrNull } from '../../util/iso-time.ts';
import type { JsonObject } from '../../util/json.ts';
import { type SnakeCased, snakeCase } from '../../util/snake-case.ts';
import type { KeyWithSpend } from './key-with-spend.ts';

/** A key as the management interface shows it (docs/spec/accounts.md#api-keys). Never the raw key. */
export function showKey({ key, spend, limitSpend, lastUsedAt }: KeyWithSpend) {
  return {
    hash: key.hash,
    name: key.name,
    label: key.label,
    disabled: key.disabled,
    limit: usdOrNull(key.limit),
    limit_remaining: usdOrNull(limitRemaining(key, limitSpend)),
    limit_reset: key.limitReset,
    include_byok_in_limit: key.includeByokInLimit,
    ...showWindows('usage', spend.usage),
    ...showWindows('byok_usage', spend.byokUsage),
    created_at: isoTime(key.createdAt),
    updated_at: isoTimeOrNull(key.updatedAt),
    last_used_at: isoTimeOrNull(lastUsedAt),
    ...(key.expiresAt === null ? {} : { expires_at: isoTime(key.expiresAt) }),
    creator_user_id: key.creatorUserId,
    external_user: key.externalUser,
    workspace_id: key.workspaceId,
    ...showRotation(key),
    ...showInferenceSettings(key),
  };
}

/** A key of any account and kind as the command line shows it in JSON. Never the raw key. */
export function showKeyOfAny(key: ApiKey, spend?: KeySpend): JsonObject {
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
    expires_at: isoTimeOrNull(key.expiresAt),
    created_at: isoTime(key.createdAt),
    ...showRotation(key),
    ...(spend && showWindows('usage', spend.usage)),
    ...showSettings(key),
  };
}

/** When a key got its newest secret, and when the last of the earlier ones ends or ended; null before any rotation. */
function showRotation({ secrets = [] }: ApiKey) {
  const ends = secrets.flatMap(({ endsAt }) => endsAt ?? []);
  return {
    rotated_at: isoTimeOrNull(secrets.at(-1)?.createdAt ?? null),
    previous_secret_ends_at: isoTimeOrNull(ends.length === 0 ? null : Math.max(...ends)),
  };
}

/** The optional settings of a key, each under its name in snake case. */
function showSettings(key: ApiKey) {
  const { requestsPerMinute, tokensPerMinute, parallel, ...plain } = plainKeySettings;
  const names = Object.keys(plain) as (keyof typeof plain)[];
  const shown = Object.fromEntries(names.map((name) => [snakeCase(name), key[name]]));
  return { ...(shown as SnakeCased<typeof plain>), ...showRates(key) };
}

/** Limits of requests, tokens and parallel requests as JSON. */
export function showRates({ requestsPerMinute, tokensPerMinute, parallel }: KeyRates) {
  const isUnlimited = requestsPerMinute === null && tokensPerMinute === null;
  return {
    rates: isUnlimited
      ? null
      : { requests_per_minute: requestsPerMinute, tokens_per_minute: tokensPerMinute },
    parallel,
  };
}

/** The same without those of management keys. */
function showInferenceSettings(key: ApiKey) {
  const { scopes: _scopes, ...shown } = showSettings(key);
  return shown;
}

type ShownWindows<Name extends string> = Readonly<
  Record<Name | `${Name}_daily` | `${Name}_weekly` | `${Name}_monthly`, number>
>;

/** What was spent, all time and in each window: `name`, `name_daily`, `name_weekly`, `name_monthly`. */
export function showWindows<Name extends string>(name: Name, spend: SpendWindows): ShownWindows<Name> {
  const windows = {
    [name]: usdToNumber(spend.total),
    [`${name}_daily`]: usdToNumber(spend.daily),
    [`${name}_weekly`]: usdToNumber(spend.weekly),
    [`${name}_monthly`]: usdToNumber(spend.monthly),
  };
  return windows as ShownWindows<Name>;
}
