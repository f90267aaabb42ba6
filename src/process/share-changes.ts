import type { CallerDirectory } from '../pipeline/caller-directory.ts';
import type { CredentialVault } from '../ports/credentials.ts';
import type { Change, Invalidation } from '../ports/invalidation.ts';
import type { Storage } from '../ports/storage.ts';

/** Caches of this process that other processes' changes make outdated. */
export interface Memories {
  readonly callers: Pick<CallerDirectory, 'forget'>;
  readonly vault: Pick<CredentialVault, 'forget'>;
}

/**
 * Subscribes the caches to other processes' changes, whether these share state or only the database. Call the returned function with a change of this process: it
 * drops the entry immediately and notifies the others.
 */
export function shareChanges(
  invalidation: Invalidation,
  storage: Pick<Storage, 'watchChanges'>,
  { callers, vault }: Memories,
): (change: Change) => void {
  const forget = (change: Change) => {
    if (change.kind !== 'callers') vault.forget(change.kind === 'credential' ? change.id : undefined);
    callers.forget(change.kind === 'callers' ? change.keyHash : undefined);
  };
  invalidation.subscribe(forget);
  storage.watchChanges(forget);
  return (change) => {
    forget(change);
    invalidation.publish(change);
  };
}
