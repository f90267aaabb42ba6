import type { Change as OutdatedBy } from '../ports/invalidation.ts';
import type { Actor } from './actor.ts';

/** A change of something stored: who makes it, what it does and to what. Holds no secret. */
export interface Change {
  readonly actor: Actor;
  /** What is done, as object and verb. */
  readonly action: `${Changeable}.${string}`;
  /** What it is done to; undefined for something that has no id yet or concerns no single object. */
  readonly id?: string;
  /** The account it belongs to; undefined for what belongs to none. */
  readonly accountId?: string;
  /** The record as it was read before the change. */
  readonly before?: object;
  /** What running processes must read again afterwards. */
  readonly outdates?: OutdatedBy;
}

/** Kinds of objects that operations change. */
type Changeable = 'account' | 'key' | 'credential' | 'workspace' | 'credits' | 'secrets';

/**
 * Makes a change. Every operation that stores something goes through here, so an audit entry can be written in one
 * place: in a transaction whose stores are passed to `work`.
 * @param work Stores the change with the stores it is given. Rejects when nothing was stored.
 */
export async function makeChange<Stores, Result>(
  { outdates }: Change,
  services: { readonly storage: Stores; readonly invalidate: (change: OutdatedBy) => void },
  work: (storage: Stores) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(services.storage);
  } finally {
    // Also after a failure: a lost connection leaves open whether the change was stored.
    if (outdates !== undefined) services.invalidate(outdates);
  }
}
