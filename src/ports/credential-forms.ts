import type { Provider } from '../core/catalogue.ts';
import type { Secret } from '../util/secret.ts';

/** A credential in the form that its provider requires. */
export interface WellFormedCredential {
  readonly secret: Secret;
  /** The public part that identifies it; undefined without one. */
  readonly knownAs: string | undefined;
}

/** The forms of providers' credentials (docs/spec/credentials.md#formats). */
export interface CredentialForms {
  /** Whether credentials can be stored for a provider. */
  has(provider: string): boolean;
  /** Every provider that credentials can be stored for. */
  providers(): readonly Provider[];
  /**
   * Parses a credential.
   * @throws HeadgateError `upstream_credential` when it does not have the form that its provider requires; the
   * message contains nothing of it.
   */
  read(provider: string, text: string): WellFormedCredential;
}
