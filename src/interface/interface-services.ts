import type { StoredLimits } from '../core/limits.ts';
import type { AppServices } from '../edge/app-services.ts';
import type { CallRate } from '../edge/call-rate.ts';
import type { ResponseSockets } from '../edge/socket/response-sockets.ts';
import type { ProviderChecks } from '../operations/installation/check-provider.ts';
import type { AllAccountsUsage } from '../operations/usage/all-accounts-usage.ts';
import type { DiskUse } from '../ports/storage.ts';
import type { JsonObject } from '../util/json.ts';
import type { Refreshed } from '../util/refreshed.ts';
import type { WeeklyPopularity } from './models/popularity.ts';
import type { RunningExports } from './reports/running-exports.ts';
import type { RunningTests } from './running-tests.ts';

/** What is stored so cheaply that writing it has a rate of its own. */
export type WriteRate = 'files' | 'presets';

/** What handlers of routes are given together; what they call names its own part. */
export interface InterfaceServices extends AppServices {
  readonly popularity: WeeklyPopularity;
  /** The sums of all accounts together. */
  readonly allUsage: AllAccountsUsage;
  /** Files of calls that are being made. */
  readonly runningExports: RunningExports;
  /** Test calls of credentials that are being made. */
  readonly runningTests: RunningTests;
  /** Checks of providers that are being made. */
  readonly providerChecks: ProviderChecks;
  /** Limits how often a key has tokens counted. */
  readonly countRate: CallRate;
  /** What takes room, as it was at most a minute ago. */
  readonly diskUse: Refreshed<DiskUse>;
  /** How much accounts may store, at this moment. */
  readonly stored: StoredLimits;
  /** Limit how often an account stores or deletes something of a kind. */
  readonly writeRates: Readonly<Record<WriteRate, CallRate>>;
  /** The connections at `GET /responses`. */
  readonly sockets: ResponseSockets;
  /** The document of the whole table. */
  readonly document: () => JsonObject;
}
