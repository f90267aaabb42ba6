/** Something that processes remember and that one of them has changed. */
export type Change =
  /** What is known of callers: their keys, accounts, credits and credentials; of one key only, if it is named. */
  | { readonly kind: 'callers'; readonly keyHash?: string }
  /** A provider credential of an account, and with it what is known of its callers. */
  | { readonly kind: 'credential'; readonly id: string }
  /** Whatever may have changed: some news was missed. */
  | { readonly kind: 'everything' };

/**
 * Tells the other processes of an installation what one has changed. News may be lost: whatever is remembered expires
 * by itself as well.
 */
export interface Invalidation {
  /** Tells the others, not this process. Waits for nobody. */
  publish(change: Change): void;
  /** Hears what others have changed. */
  subscribe(listener: (change: Change) => void): void;
}
