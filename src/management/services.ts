import type { StoredLimits } from '../core/limits.ts';
import type { RefusalLog } from '../ports/audit.ts';
import type { Clock } from '../ports/clock.ts';
import type { ContentVault } from '../ports/content.ts';
import type { CredentialForms } from '../ports/credential-forms.ts';
import type { CredentialVault } from '../ports/credentials.ts';
import type { DestinationDesk } from '../ports/destinations.ts';
import type { Change } from '../ports/invalidation.ts';
import type { Storage } from '../ports/storage.ts';

/** Everything an operation can need besides the stores. */
export interface OtherServices {
  readonly clock: Clock;
  /** Makes processes forget what a change has outdated. Called after the change; returns at once. */
  readonly invalidate: (change: Change) => void;
  readonly refusals: RefusalLog;
  readonly vault: CredentialVault;
  readonly credentialForms: CredentialForms;
  readonly destinationDesk: DestinationDesk;
  readonly contentVault: ContentVault;
  /** How much accounts may store, at this moment. */
  readonly stored: StoredLimits;
}

/** The services one operation needs: the stores and the others that it names. */
export type Uses<Stores extends keyof Storage, Others extends keyof OtherServices = never> = {
  readonly storage: Pick<Storage, Stores>;
} & Pick<OtherServices, Others>;

/** The same for an operation that changes something (`makeChange`). */
export type UsesToChange<Stores extends keyof Storage, Others extends keyof OtherServices = never> = Uses<
  Stores | 'transaction',
  Others | 'clock' | 'invalidate' | 'refusals'
>;
