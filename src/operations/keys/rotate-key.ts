import { hash as digest } from 'node:crypto';
import { createRawKey, hashKey, keyLabel } from '../../core/api-key.ts';
import { HeadgateError } from '../../core/errors.ts';
import { type KeySecret, mostSecrets } from '../../ports/key-secrets.ts';
import type { ApiKey } from '../../ports/keys.ts';
import { malformed } from '../../schema/fault.ts';
import { isoTime } from '../../util/iso-time.ts';
import { type Actor, refusal } from '../actor.ts';
import { keyLook } from '../audit/look-at.ts';
import { notingRefusal } from '../audit/noting-refusal.ts';
import { changedSecret, makeChange } from '../make-change.ts';
import type { UsesToChange } from '../services.ts';
import type { CreatedKey } from './create-key.ts';
import { findKey, noSuchKey } from './find-key.ts';
import { withSpend } from './key-with-spend.ts';

/** How long earlier secrets work after a rotation where nobody says it, in milliseconds. */
export const usualGrace = 24 * 3_600_000;

/** The longest such time. */
export const longestGrace = 7 * 24 * 3_600_000;

/** Which key gets a new secret. */
export interface KeyToRotate {
  /** For the operator the beginning of a hash is enough. */
  readonly hash: string;
  /** Milliseconds for which earlier secrets work on, from 0 to `longestGrace`. */
  readonly grace?: number;
  /** A word of the caller's own: a second rotation with the same one is refused. */
  readonly idempotencyKey?: string;
}

/** A key with its new secret, and what that replaces. */
export interface RotatedKey extends CreatedKey {
  readonly replaces: { readonly label: string; readonly endsAt: number };
}

/**
 * Gives a key a new secret. Everything else stays: its hash, what it spent, its limit, guardrails and settings
 * (docs/spec/accounts.md#rotation).
 * @throws HeadgateError like `findKey`; `invalid_request` for a grace time that is too long or a key with too many
 *   secrets; `unprocessable` for an idempotency key that was used.
 */
export async function rotateKey(
  actor: Actor,
  input: KeyToRotate,
  services: UsesToChange<'keys' | 'ledger'>,
): Promise<RotatedKey> {
  const action = 'key.rotate';
  const { hash: asked, grace = usualGrace, idempotencyKey } = input;
  return notingRefusal({ actor, action, id: asked }, services, async () => {
    if (grace > longestGrace) {
      const fault = 'must be at most 168h (7 days)';
      throw refusal(actor, malformed('grace', fault), `--grace ${fault}`);
    }
    const { hash: id, accountId, workspaceId } = await findKey(actor, asked, services);
    const raw = createRawKey();
    const fresh = freshSecret(raw, services.clock.now(), idempotencyKey);
    const endsAt = fresh.createdAt + grace;
    const { before, key } = await makeChange(
      {
        actor,
        action,
        id,
        accountId,
        workspaceId,
        look: keyLook(id),
        after: () => ({ secret: changedSecret }),
        outdates: { kind: 'callers', keyHash: id },
      },
      services,
      async ({ keys }) => {
        const before = (await keys.findWithAccount(id))?.key;
        if (before !== undefined) requireRotatable(before, fresh, grace);
        const key = await keys.rotate(id, { fresh, endsAt });
        // Deleted since it was found.
        if (before === undefined || key === undefined) throw noSuchKey(actor, asked);
        return { before, key };
      },
    );
    return { ...(await withSpend(key, services)), raw, replaces: { label: before.label, endsAt } };
  });
}

function freshSecret(raw: string, createdAt: number, idempotencyKey: string | undefined): KeySecret {
  return {
    hash: hashKey(raw),
    label: keyLabel(raw),
    createdAt,
    endsAt: null,
    ...(idempotencyKey !== undefined && { requestHash: digest('sha256', idempotencyKey, 'hex') }),
  };
}

function requireRotatable({ secrets = [] }: ApiKey, fresh: KeySecret, grace: number): void {
  const earlier = secrets.find(
    ({ requestHash }) => requestHash !== undefined && requestHash === fresh.requestHash,
  );
  if (earlier !== undefined) {
    throw new HeadgateError(
      'unprocessable',
      `This rotation was made already, at ${isoTime(earlier.createdAt)}. Its secret was in that answer and is not shown again: rotate with another Idempotency-Key for a new one.`,
    );
  }
  const working = secrets.filter(({ endsAt }) => endsAt === null || endsAt > fresh.createdAt);
  if (grace === 0 || working.length < mostSecrets) return;
  throw new HeadgateError(
    'invalid_request',
    `${mostSecrets} secrets of this key work at the same time. Wait for one to end, or rotate with a grace time of 0s, which ends all earlier ones.`,
  );
}
