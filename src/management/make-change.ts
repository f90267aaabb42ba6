import { hash } from 'node:crypto';
import type { AuditRecord } from '../core/audit-entry.ts';
import { HeadgateError } from '../core/errors.ts';
import { createId } from '../core/ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { Change as OutdatedBy } from '../ports/invalidation.ts';
import type { ChangeStores, Storage } from '../ports/storage.ts';
import { canonicalJson } from '../util/canonical-json.ts';
import { isoTime } from '../util/iso-time.ts';
import type { JsonObject } from '../util/json.ts';
import { type Actor, auditActor, type SystemActor, type WorkloadActor } from './actor.ts';

/** A change of something stored: who makes it, what it does and to what. Holds no secret. */
export interface Change<Result> {
  readonly actor: Actor | SystemActor | WorkloadActor;
  /** What is done, as object and verb. */
  readonly action: `${Changeable}.${string}`;
  /** What it is done to; undefined for something that concerns no single object. */
  readonly id?: string;
  readonly workspaceId?: string | null;
  /** The account it belongs to; undefined for what belongs to none. */
  readonly accountId?: string;
  /** Another account that it belongs to as well, which gets an entry of its own. */
  readonly otherAccountId?: string;
  /** Reads the object as JSON before and after the change. Undefined while it does not exist. */
  readonly look?: (stores: ChangeStores) => Promise<JsonObject | undefined>;
  /** What else an entry of an account says after the change. Secrets appear as `changedSecret`. */
  readonly after?: (result: Result, accountId: string | null) => JsonObject;
  /** Whether it leaves no entry in the audit log, being one of many alike that a later entry counts. */
  readonly isUnnoted?: boolean;
  /** What running processes must read again afterwards. */
  readonly outdates?: OutdatedBy;
}

/** Kinds of objects that operations change. */
export type Changeable =
  | 'account'
  | 'key'
  | 'credential'
  | 'destination'
  | 'workspace'
  | 'credits'
  | 'preset'
  | 'guardrail'
  | 'allowlist'
  | 'budget'
  | 'member'
  | 'policy'
  | 'secrets'
  | 'session'
  | 'content'
  | 'request';

/** What makes a change. */
export interface ChangeServices {
  readonly storage: Pick<Storage, 'transaction'>;
  readonly clock: Clock;
  readonly invalidate: (change: OutdatedBy) => void;
}

/** What an audit entry says of a secret that was set. */
export const changedSecret = { set: true, changed: true } as const;

/**
 * Makes a change. Every operation that stores something goes through here: the change and its audit entry are stored in
 * one transaction, so that neither exists without the other; only repeated logins share entries. Changes of one account are made one after the other.
 * @param work Stores the change with the stores it is given. It rejects when nothing is to be stored, and may run again.
 */
export async function makeChange<Result>(
  change: Change<Result>,
  services: ChangeServices,
  work: (stores: ChangeStores) => Promise<Result>,
): Promise<Result> {
  const { look, after, outdates, accountId = null, otherAccountId } = change;
  // Locked in one order everywhere.
  const accounts = otherAccountId === undefined ? [accountId] : [accountId ?? '', otherAccountId].sort();
  try {
    return await services.storage.transaction(async (stores) => {
      for (const accountId of accounts) await stores.audit.lock(accountId);
      const before = await look?.(stores);
      const result = await work(stores);
      if (change.isUnnoted === true) return result;
      const now = await look?.(stores);
      const changed = changedFields(before, now);
      for (const accountId of accounts) {
        const more = after?.(result, accountId);
        const fields = more === undefined ? changed : { ...changed, after: { ...changed.after, ...more } };
        await stores.audit.append(recordOf(change, accountId, services.clock, fields));
      }
      return result;
    });
  } finally {
    // Also after a failure: a lost connection leaves open whether the change was stored.
    if (outdates !== undefined) services.invalidate(outdates);
  }
}

function recordOf<Result>(
  { actor, action, id, workspaceId }: Change<Result>,
  accountId: string | null,
  clock: Clock,
  changed: Pick<AuditRecord, 'before' | 'after'>,
): AuditRecord {
  const [type = ''] = action.split('.');
  return {
    id: createId('aud_'),
    account_id: accountId,
    at: isoTime(clock.now()),
    actor: auditActor(actor),
    action,
    object: { type, id: id ?? null, workspace_id: workspaceId ?? null },
    outcome: 'ok',
    reason: null,
    before: changed.before,
    after: changed.after,
    request_id: (actor.kind === 'key' ? actor.requestId : undefined) ?? null,
  };
}

/** The fields in which an object differs before and after a change; all of them where it did not exist. */
export function changedFields(
  before: JsonObject | undefined,
  after: JsonObject | undefined,
): { readonly before: JsonObject | null; readonly after: JsonObject | null } {
  if (before === undefined || after === undefined) {
    return { before: fitted(before ?? null), after: fitted(after ?? null) };
  }
  const differs = (name: string) =>
    canonicalJson(before[name] ?? null) !== canonicalJson(after[name] ?? null);
  return { before: fitted(pick(before, differs)), after: fitted(pick(after, differs)) };
}

/** Characters of an object as JSON in an audit entry: the log is never shortened. */
const longest = 16_384;
/** Characters of a field that is named by its length and its hash where the object is longer. */
const longestField = 512;

/** The object, with the length and the hash of fields in place of those that are too long to keep for ever. */
function fitted(object: JsonObject | null): JsonObject | null {
  if (object === null || JSON.stringify(object).length <= longest) return object;
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => {
      const text = canonicalJson(value ?? null);
      if (text.length <= longestField) return [name, value];
      return [name, { characters: text.length, sha256: hash('sha256', text, 'hex') }];
    }),
  );
}

function pick(object: JsonObject, isWanted: (name: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => isWanted(name)));
}

/**
 * Refuses to create what there are too many of already. Operators are not bound.
 * @param whose What has so many at most: "An account".
 * @param what The objects, and what to do about them: "workspaces; delete one".
 * @throws HeadgateError `invalid_request`.
 */
export function requireRoom(
  actor: Actor,
  { have, most }: { readonly have: number; readonly most: number },
  whose: string,
  what: string,
): void {
  if (actor.kind !== 'key' || have < most) return;
  throw new HeadgateError('invalid_request', `${whose} may have at most ${most} ${what}.`);
}
