import { keyNumber } from '../../content/content-rules.ts';
import { mostPerMinute } from '../../core/limits.ts';
import { usdOrNull, usdToNumber } from '../../core/money.ts';
import { roles } from '../../core/roles.ts';
import { budgetScopes } from '../../ports/budgets.ts';
import {
  type ApiKey,
  type KeyRates,
  type KeySpend,
  plainKeySettings,
  type SpendWindows,
} from '../../ports/keys.ts';
import { durationField, modelName } from '../../schema/fields.ts';
import { spendLimit } from '../../schema/spend-limit.ts';
import { unit, withUnit } from '../../schema/units.ts';
import { limitRemaining } from '../../settlement/admit.ts';
import { mostAddresses, readAddressEntry } from '../../util/address-list.ts';
import { isoTime, isoTimeOrNull } from '../../util/iso-time.ts';
import type { JsonObject } from '../../util/json.ts';
import {
  choice,
  flag,
  integer,
  list,
  marked,
  named,
  nullOr,
  number,
  optional,
  orNull,
  Type,
  text,
  word,
} from '../../util/json-schema.ts';
import { mostNames } from '../../util/name-pattern.ts';
import { type SnakeCased, snakeCase } from '../../util/snake-case.ts';
import { allOptional, answerOf, byokUsageWindows, closed, moment, pageOf, usageWindows } from '../parts.ts';
import type { Uses } from '../services.ts';

const address = withUnit(
  unit('address', 'an IP address or a network such as 10.0.0.0/8', readAddressEntry),
  text(),
);

const atLeastOne = integer({ minimum: 1, maximum: mostPerMinute });
const rates = { requests_per_minute: orNull(atLeastOne), tokens_per_minute: orNull(atLeastOne) };

/** The limits of a key, as they are shown. */
const shownRates = { rates: nullOr(Type.Object(rates)), parallel: orNull(integer()) };

/** The same as they are written: what is absent is unchanged, null is any number. */
const writtenRates = {
  rates: Type.Optional(orNull(Type.Object(allOptional(rates), closed))),
  parallel: Type.Optional(orNull(atLeastOne)),
};

/** The optional settings of an inference key (`KeySettings`), each with its check. All may be left out where a key is written. */
const keySettings = {
  allowed_ips: Type.Unsafe<readonly string[] | null>(
    marked(orNull(list(address, { minItems: 1, maxItems: mostAddresses })), {
      wording: { empty: 'must not be empty; null is any address' },
    }),
  ),
  allowed_models: Type.Unsafe<readonly string[] | null>(
    marked(orNull(list(modelName, { minItems: 1, maxItems: mostNames })), {
      wording: { empty: 'must not be empty; null is any model' },
    }),
  ),
  content_logging: word(['inherit', 'off'], {
    description: 'Whether what is said with it may be kept where its workspace wants that',
  }),
};
const writtenSettings = { ...allOptional(keySettings), ...writtenRates };

/** A key as management keys see it; never the key itself. */
export const KeySchema = named(
  'Key',
  Type.Object({
    hash: text(),
    number: integer({ description: 'By which lists of keys of a workspace name it' }),
    name: text(),
    label: text(),
    disabled: flag(),
    limit: orNull(number()),
    limit_remaining: orNull(number()),
    limit_reset: orNull(text()),
    include_byok_in_limit: flag(),
    ...usageWindows,
    ...byokUsageWindows,
    created_at: text(),
    updated_at: orNull(text()),
    last_used_at: orNull(text()),
    expires_at: Type.Optional(orNull(text())),
    creator_user_id: orNull(text()),
    external_user: orNull(text()),
    // Management keys have none, and are not shown here.
    workspace_id: Type.Unsafe<string | null>(text()),
    rotated_at: orNull(text()),
    previous_secret_ends_at: orNull(text()),
    ...keySettings,
    ...shownRates,
  }),
);

/** A page of keys. */
export const KeyList = pageOf('KeyList', KeySchema);

/** One key. */
export const KeyAnswer = answerOf('KeyAnswer', KeySchema);

/** A new key, with its secret. */
export const CreatedKey = named('CreatedKey', Type.Object({ data: KeySchema, key: text() }));

/** The body of `POST /keys/{hash}/rotate`. */
export const RotateKey = named(
  'RotateKey',
  Type.Object(
    { grace: Type.Optional(durationField('How long earlier secrets work on, at most 168h', '24h')) },
    closed,
  ),
);

/** A key with its new secret, and the one that it replaces. */
export const RotatedKey = named(
  'RotatedKey',
  Type.Object({
    data: KeySchema,
    key: text(),
    replaces: Type.Object({ label: text(), ends_at: text() }),
  }),
);

/** The header by which a rotation is not made twice. */
export const RotationHeaders = Type.Object({
  'Idempotency-Key': Type.Optional(
    text({ maxLength: 255, description: 'A second rotation of the key with the same one is refused.' }),
  ),
});

const limits = {
  limit: Type.Optional(orNull(spendLimit)),
  limit_reset: Type.Optional(orNull(choice('daily', 'weekly', 'monthly'))),
};
const shortestExternalKey = 32;

/** The body of `POST /keys` (docs/spec/accounts.md#managing-keys). */
export const CreateKey = named(
  'CreateKey',
  Type.Object(
    {
      name: text({ minLength: 1, maxLength: 255 }),
      ...limits,
      include_byok_in_limit: optional(flag()),
      expires_at: optional(moment),
      workspace_id: optional(text()),
      creator_user_id: optional(text({ minLength: 1, maxLength: 255 })),
      external: optional(
        Type.Object(
          {
            user: text({ minLength: 1, maxLength: 255 }),
            api_key: optional(text({ minLength: shortestExternalKey, maxLength: 1_000 })),
          },
          closed,
        ),
      ),
      ...writtenSettings,
    },
    closed,
  ),
);

/** The body of `PATCH /keys/{hash}`: absent is unchanged, null clears limits and settings. */
export const UpdateKey = named(
  'UpdateKey',
  Type.Object(
    {
      name: Type.Optional(text({ minLength: 1, maxLength: 255 })),
      disabled: Type.Optional(flag()),
      ...limits,
      include_byok_in_limit: Type.Optional(flag()),
      ...writtenSettings,
    },
    closed,
  ),
);

/** One of the budgets that a request of a key has to fit, its own limit among them. */
export const KeyBudget = named(
  'KeyBudget',
  Type.Object({
    scope: word([...budgetScopes, 'key_limit']),
    budget_id: orNull(text()),
    guardrail_id: orNull(text()),
    limit_usd: number(),
    spend_usd: number(),
    remaining_usd: number(),
    include_byok: flag(),
    reset_interval: orNull(text()),
    resets_at: orNull(text()),
  }),
);

/** What a key learns of itself. */
export const KeyInformation = answerOf(
  'KeyInformation',
  Type.Object({
    label: text(),
    limit: orNull(number()),
    limit_reset: orNull(text()),
    limit_remaining: orNull(number()),
    include_byok_in_limit: flag(),
    ...usageWindows,
    ...byokUsageWindows,
    is_free_tier: flag(),
    is_management_key: flag(),
    is_provisioning_key: flag(),
    role: Type.Optional(
      word(roles, { description: 'What a management key is in its account; absent for an inference key' }),
    ),
    creator_user_id: orNull(text()),
    organization_id: orNull(text()),
    workspace_id: orNull(text()),
    expires_at: Type.Optional(orNull(text())),
    secret_ends_at: Type.Optional(
      text({ description: 'When the secret in use is refused, because another one was made for the key' }),
    ),
    allowed_data_regions: list(text()),
    free_model_daily_requests: Type.Object({ used: number(), limit: number(), remaining: number() }),
    budgets: list(KeyBudget),
    effective_budget: nullOr(KeyBudget),
    content_logging: flag({ description: 'Whether what is said with it may be kept' }),
    ...shownRates,
    rate_limit: Type.Object({ requests: integer(), interval: text(), note: text() }),
  }),
);

/** A key as the management interface shows it (docs/spec/accounts.md#api-keys). Never the raw key. */
export function showKey({ key, spend, limitSpend, lastUsedAt }: KeyWithSpend) {
  return {
    hash: key.hash,
    number: keyNumber(key.hash),
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
    number: keyNumber(key.hash),
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
  const { scopes: _scopes, role: _role, ...shown } = showSettings(key);
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

/** A key and what was charged to it. */
export interface KeyWithSpend {
  readonly key: ApiKey;
  /** In the windows of UTC, which reports go by. */
  readonly spend: KeySpend;
  /** In the windows that its limit counts in. */
  readonly limitSpend: KeySpend;
  /** When a call of it was booked last, Unix milliseconds; null before the first one. */
  readonly lastUsedAt: number | null;
}

/** Reads what was charged to a key, in the windows of this moment. */
export async function withSpend(
  key: ApiKey,
  { storage, clock }: Uses<'ledger', 'clock'>,
): Promise<KeyWithSpend> {
  const { ledger } = storage;
  const now = clock.now();
  const isOtherwise = key.limit !== null && key.limitReset !== null;
  const [spend, limitSpend, lastUse] = await Promise.all([
    ledger.keySpend(key.hash, now),
    isOtherwise ? ledger.limitSpend(key.hash, now) : undefined,
    ledger.lastUse(key.hash),
  ]);
  return { key, spend, limitSpend: limitSpend ?? spend, lastUsedAt: lastUse ?? null };
}
