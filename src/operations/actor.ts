import { HeadgateError } from '../core/errors.ts';
import type { Account } from '../ports/accounts.ts';
import type { KnownKey } from '../ports/keys.ts';

/** Who asks for an operation. It decides what they may see, and is what an audit entry will name. */
export type Actor = KeyActor | OperatorActor;

/** A caller with an API key. It reaches its own account and nothing else. */
export interface KeyActor {
  readonly kind: 'key';
  readonly account: Account;
  readonly keyHash: string;
  readonly label: string;
  /** The user who made the key; null where there is none. */
  readonly userId: string | null;
  /** The client's address; undefined where it is not known any more. */
  readonly address: string | undefined;
}

/** Somebody at the command line. Reaches every account. */
export interface OperatorActor {
  readonly kind: 'operator';
}

/** The operator at the command line. */
export const operator: OperatorActor = { kind: 'operator' };

/** The actor that a key makes which is used from an address. */
export function keyActor(
  { key, account }: Pick<KnownKey, 'key' | 'account'>,
  address: string | undefined,
): KeyActor {
  return { kind: 'key', account, keyHash: key.hash, label: key.label, userId: key.creatorUserId, address };
}

/**
 * A refusal in the words of the actor: an API caller reads names of fields, the operator reads options and commands.
 * @param forKey What an API caller gets.
 * @param forOperator The same in one line for the command line.
 */
export function refusal(actor: Actor, forKey: HeadgateError, forOperator: string): HeadgateError {
  return actor.kind === 'key' ? forKey : new HeadgateError(forKey.code, forOperator);
}
