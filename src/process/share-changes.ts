import type { CallerDirectory } from '../pipeline/caller-directory.ts';
import type { CredentialVault } from '../ports/credentials.ts';
import type { Change, Invalidation } from '../ports/invalidation.ts';

/** What this process remembers and others change. */
export interface Memories {
  readonly callers: Pick<CallerDirectory, 'forget'>;
  readonly vault: Pick<CredentialVault, 'forget'>;
}

/**
 * Forgets from now on what other processes say has changed. The result is to be told what this process has changed: it
 * forgets that at once and tells the others.
 */
export function shareChanges(
  invalidation: Invalidation,
  { callers, vault }: Memories,
): (change: Change) => void {
  const forget = (change: Change) => {
    if (change.kind === 'credential') vault.forget(change.id);
    callers.forget(change.kind === 'callers' ? change.keyHash : undefined);
  };
  invalidation.subscribe(forget);
  return (change) => {
    forget(change);
    invalidation.publish(change);
  };
}
