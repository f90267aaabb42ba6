import type { Config } from '../config/config.ts';
import type { ConfigState } from '../config/config-state.ts';
import type { StoredFiles } from '../files/stored-files.ts';
import type { DependencyHealth } from '../metrics/dependency-health.ts';
import type { GatewayMetrics } from '../metrics/gateway-metrics.ts';
import type { EndpointTroubles } from '../pipeline/endpoint-troubles.ts';
import type { Services } from '../pipeline/services.ts';
import type { ContentVault } from '../ports/content.ts';
import type { CredentialForms } from '../ports/credential-forms.ts';
import type { CredentialVault } from '../ports/credentials.ts';
import type { DestinationDesk } from '../ports/destinations.ts';
import type { Change } from '../ports/invalidation.ts';
import type { ProcessReport } from '../ports/processes.ts';
import type { Storage } from '../ports/storage.ts';
import type { EdgeServices } from './edge-services.ts';
import type { InferenceServices, Lifecycle } from './inference-services.ts';
import type { LiveFeeds } from './live/live-feeds.ts';

/**
 * Everything that is put together at the composition root for the HTTP edge. Only that root and the table of routes take it
 * whole: everything else names what it needs.
 */
export interface AppServices extends InferenceServices, EdgeServices {
  readonly config: Config;
  readonly storage: Storage;
  readonly files: StoredFiles;
  /** Scans texts for guardrails. */
  readonly scanner: NonNullable<Services['scanner']>;
  /** Called with what a request has changed once that is stored: every process then drops what it had cached. Does not wait. */
  readonly invalidate: (change: Change) => void;
  readonly vault: CredentialVault;
  readonly credentialForms: CredentialForms;
  readonly destinationDesk: DestinationDesk;
  readonly contentVault: ContentVault;
  readonly lifecycle: Lifecycle;
  /** Streams running requests to viewers. */
  readonly liveFeeds: LiveFeeds;
  readonly health: Pick<DependencyHealth, 'check'>;
  readonly metrics: Pick<GatewayMetrics, 'render'>;
  /** Since when endpoints fail. */
  readonly endpointTroubles: Pick<EndpointTroubles, 'of'>;
  /** How this process is. */
  readonly ownProcess: { own(): Promise<ProcessReport> };
  /** How the configuration was read last. */
  readonly configState: Pick<ConfigState, 'facts' | 'environment'>;
}
