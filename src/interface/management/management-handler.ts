import type { Catalogue } from '../../core/catalogue.ts';
import type { RouteCall } from '../../edge/route.ts';
import type { KeyActor } from '../../operations/actor.ts';
import type { Uses } from '../../operations/services.ts';
import type { JsonObject } from '../../util/json.ts';

/** What management routes need: the services of the operations they call, and the catalogue for names. */
export interface ManagementServices
  extends Uses<
    'accounts' | 'workspaces' | 'keys' | 'credentials' | 'generations' | 'activity' | 'ledger',
    'clock' | 'invalidate' | 'vault' | 'credentialForms'
  > {
  readonly catalogue: () => Catalogue;
  readonly config: { readonly server: { readonly trustProxy: boolean } };
}

/** Answers a call of a management route: reads its input, calls one operation and shows the result. */
export type ManagementHandler = (
  call: RouteCall,
  actor: KeyActor,
  services: ManagementServices,
) => Promise<JsonObject>;
