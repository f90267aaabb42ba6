import type { Secret } from '../util/secret.ts';

/** A credential that has the form its provider asks for. */
export interface WellFormedCredential {
  readonly secret: Secret;
  /** What of it is no secret and tells it from others; undefined where it has no such part. */
  readonly knownAs: string | undefined;
}

/** What credentials of providers look like (accounts-and-limits 6.6). */
export interface CredentialForms {
  /** Whether credentials can be stored for a provider. */
  has(provider: string): boolean;
  /**
   * Reads a credential as somebody sent it.
   * @throws HeadgateError `upstream_credential` when it has not the form its provider asks for; the message holds
   *   nothing of it.
   */
  read(provider: string, text: string): WellFormedCredential;
}
