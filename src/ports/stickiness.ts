/**
 * The kind of credential that serves (docs/spec/routing.md#credential-classes): own ones, the shared one, own ones as a
 * fallback.
 */
export type CredentialClass = 0 | 1 | 2;

/** The endpoint that served a conversation last (docs/spec/routing.md#stickiness). */
export interface StickyEndpoint {
  readonly tag: string;
  readonly credentialClass: CredentialClass;
}

/**
 * Remembers which endpoint served a conversation, for all processes that share it. It only saves money: nothing
 * breaks without an entry, so neither call fails.
 */
export interface StickyEndpoints {
  /**
   * The entry of each key.
   * @param keys Each identifies one conversation of one account with one model.
   */
  find(
    keys: readonly string[],
  ): readonly (StickyEndpoint | undefined)[] | Promise<readonly (StickyEndpoint | undefined)[]>;
  /** @param lifetime Milliseconds without another success after which the entry expires. */
  remember(key: string, endpoint: StickyEndpoint, lifetime: number): void | Promise<void>;
}
