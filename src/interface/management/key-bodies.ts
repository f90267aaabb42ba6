import { hashKey } from '../../core/api-key.ts';
import { HeadgateError } from '../../core/errors.ts';
import { formatUsd, largestUsd, type NanoUsd, nearestUsd } from '../../core/money.ts';
import type { KeyChange, LimitReset } from '../../ports/keys.ts';
import { createChecker } from '../../schema/checker.ts';
import { malformed } from '../../schema/fault.ts';
import { choice, flag, number, optional, orNull, text } from '../../schema/schema.ts';
import { type Static, Type } from '../../util/json-schema.ts';
import { isCalendarDay } from '../../util/utc-windows.ts';

const closed = { additionalProperties: false };
const limit = Type.Optional(orNull(number({ minimum: 0 })));
const limitReset = Type.Optional(orNull(choice('daily', 'weekly', 'monthly')));
const shortestExternalKey = 32;
const fewestDistinct = 10;

/** The body of `POST /keys` (accounts-and-limits 5). */
export const CreateKeySchema = Type.Object(
  {
    name: text({ minLength: 1 }),
    limit,
    limit_reset: limitReset,
    include_byok_in_limit: optional(flag()),
    expires_at: optional(text()),
    workspace_id: optional(text()),
    creator_user_id: optional(text({ minLength: 1 })),
    external: optional(
      Type.Object(
        { user: text({ minLength: 1 }), api_key: optional(text({ minLength: shortestExternalKey })) },
        closed,
      ),
    ),
  },
  closed,
);

/** The body of `PATCH /keys/{hash}`: absent is unchanged, null clears the two limits. */
export const ChangeKeySchema = Type.Object(
  {
    name: Type.Optional(text({ minLength: 1 })),
    disabled: Type.Optional(flag()),
    limit,
    limit_reset: limitReset,
    include_byok_in_limit: Type.Optional(flag()),
  },
  closed,
);

/** What `POST /keys` asks for. */
export interface NewKeyRequest {
  readonly name: string;
  readonly limit: NanoUsd | null;
  readonly limitReset: LimitReset;
  readonly includeByokInLimit: boolean;
  /** Unix milliseconds. */
  readonly expiresAt: number | null;
  readonly workspaceId: string | undefined;
  readonly creatorUserId: string | null;
  readonly externalUser: string | null;
  readonly externalKeyHash: string | null;
}

const checkNew = createChecker(CreateKeySchema);
const checkChange = createChecker(ChangeKeySchema);

/**
 * Reads the body of `POST /keys`.
 * @param now Unix milliseconds: a key that has expired already is refused.
 * @throws HeadgateError `invalid_request` naming the member.
 */
export function readNewKey(raw: unknown, now: number): NewKeyRequest {
  const body: Static<typeof CreateKeySchema> = checkNew(raw, '');
  return {
    name: body.name,
    limit: readLimit(body.limit),
    limitReset: body.limit_reset ?? null,
    includeByokInLimit: body.include_byok_in_limit ?? false,
    expiresAt: readExpiry(body.expires_at ?? undefined, now),
    workspaceId: body.workspace_id ?? undefined,
    creatorUserId: body.creator_user_id ?? null,
    externalUser: body.external?.user ?? null,
    externalKeyHash: readExternalKey(body.external?.api_key ?? undefined),
  };
}

/**
 * Reads the body of `PATCH /keys/{hash}`; the result holds only what changes.
 * @throws HeadgateError `invalid_request` naming the member.
 */
export function readKeyChange(raw: unknown): KeyChange {
  const body: Static<typeof ChangeKeySchema> = checkChange(raw, '');
  return {
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(body.disabled === undefined ? {} : { disabled: body.disabled }),
    ...(body.limit === undefined ? {} : { limit: readLimit(body.limit) }),
    ...(body.limit_reset === undefined ? {} : { limitReset: body.limit_reset }),
    ...(body.include_byok_in_limit === undefined ? {} : { includeByokInLimit: body.include_byok_in_limit }),
  };
}

function readLimit(value: number | null | undefined): NanoUsd | null {
  if (value === null || value === undefined) return null;
  const limit = nearestUsd(value);
  // Rounded off, it would be a limit of nothing.
  if (limit === 0n && value > 0) throw malformed('limit', 'is finer than 0.000000001 USD');
  if (limit > largestUsd) throw malformed('limit', `must be at most ${formatUsd(largestUsd)}; null is none`);
  return limit;
}

function readExpiry(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time) || !isCalendarDay(value.slice(0, 10)))
    throw malformed('expires_at', 'write it as 2030-01-31T23:59:59Z, in UTC with seconds');
  if (time <= now) throw malformed('expires_at', 'lies in the past');
  return time;
}

/** A partner's own key must be hard to guess; only its hash is kept (accounts-and-limits 5.2). */
function readExternalKey(value: string | undefined): string | null {
  if (value === undefined) return null;
  if (new Set(value).size < fewestDistinct) {
    throw new HeadgateError('invalid_request', 'external.api_key: is too easy to guess; use a random one');
  }
  return hashKey(value);
}
