/** A change of something that processes cache. */
export type Change =
  /**
   * What is known of callers: their keys, accounts, credits and credentials; only of one key, if it is named.
   */
  | { readonly kind: 'callers'; readonly keyHash?: string }
  /** A provider credential of an account, and with it what is known of the account's callers. */
  | { readonly kind: 'credential'; readonly id: string }
  /** Where traces are sent. */
  | { readonly kind: 'destinations' }
  /** Everything may have changed, because messages were missed. */
  | { readonly kind: 'everything' };

/**
 * Notifies the other processes of an installation of a change. Messages may be lost, so caches also expire.
 */
export interface Invalidation {
  /** Notifies the others, not this process. Does not wait. */
  publish(change: Change): void;
  /** Receives the changes of others. */
  subscribe(listener: (change: Change) => void): void;
}
