import type { AuditActor } from '../core/audit-entry.ts';
import { HeadgateError } from '../core/errors.ts';
import type { Role } from '../core/roles.ts';
import type { Account } from '../ports/accounts.ts';
import { type KnownKey, roleOfKey } from '../ports/keys.ts';

/** Who asks for an operation. It decides what they may see, and an audit entry names it. */
export type Actor = KeyActor | OperatorActor;

/** A caller with an API key. It reaches its own account and nothing else. */
export interface KeyActor {
  readonly kind: 'key';
  readonly account: Account;
  readonly keyKind: 'inference' | 'management';
  readonly keyHash: string;
  readonly label: string;
  /** What a management key is in its account; undefined for an inference key. */
  readonly role: Role | undefined;
  /** The user who made the key; null where there is none. */
  readonly userId: string | null;
  /** The client's address; undefined where it is not known any more. */
  readonly address: string | undefined;
  /** The id of the HTTP request. */
  readonly requestId: string | undefined;
  /** Whether its account operates the installation: then it may name other accounts. */
  readonly operates?: true;
  /** Whether its key is that of a workload, which comes with a token. */
  readonly isWorkload?: true;
}

/** Who may do what concerns the whole installation. */
export type OperatingActor = OperatorActor | (KeyActor & { readonly operates: true });

/** Somebody at the command line. Reaches every account. */
export interface OperatorActor {
  readonly kind: 'operator';
  /** The account whose things are meant, where an operation names none. */
  readonly account?: string;
}

/** A workload whose first token made its key. */
export interface WorkloadActor {
  readonly kind: 'workload';
  readonly keyHash: string;
  readonly label: string;
}

/** The server itself. It changes things at its first start. */
export interface SystemActor {
  readonly kind: 'system';
}

/** The operator at the command line. */
export const operator: OperatorActor = { kind: 'operator' };

/** The server itself. */
export const system: SystemActor = { kind: 'system' };

/** The actor that a key makes which is used from an address. */
export function keyActor(
  { key, account }: Pick<KnownKey, 'key' | 'account'>,
  address: string | undefined,
  requestId?: string,
): KeyActor {
  const { hash: keyHash, kind: keyKind, label, creatorUserId: userId } = key;
  const role = keyKind === 'management' ? roleOfKey(key) : undefined;
  const actor: KeyActor = { kind: 'key', account, keyKind, keyHash, label, role, userId, address, requestId };
  return key.origin === 'derived' ? { ...actor, isWorkload: true } : actor;
}

/** An actor as audit entries name it. */
export function auditActor(actor: Actor | SystemActor | WorkloadActor): AuditActor {
  if (actor.kind === 'workload') {
    const { keyHash, label } = actor;
    return { type: 'workload', key_hash: keyHash, key_label: label, user_id: null, address: null };
  }
  if (actor.kind !== 'key') {
    const type = actor.kind === 'operator' ? 'command' : 'system';
    return { type, key_hash: null, key_label: null, user_id: null, address: null };
  }
  return {
    type: actor.isWorkload === true ? 'workload' : `${actor.keyKind}_key`,
    key_hash: actor.keyHash,
    key_label: actor.label,
    user_id: actor.userId,
    address: actor.address ?? null,
  };
}

/**
 * A refusal in the words of the actor: an API caller reads names of fields, the operator reads options and commands.
 * @param forKey What an API caller gets.
 * @param forOperator The same in one line for the command line.
 */
export function refusal(actor: Actor, forKey: HeadgateError, forOperator: string): HeadgateError {
  return actor.kind === 'key' ? forKey : new HeadgateError(forKey.code, forOperator);
}
