import type { StoredLimits } from '../core/limits.ts';
import { tooMany } from '../core/too-many.ts';
import type { AppServices } from '../edge/app-services.ts';
import type { CallRate } from '../edge/call-rate.ts';
import type { ResponseSockets } from '../edge/socket/response-sockets.ts';
import type { DiskUse } from '../ports/storage.ts';
import type { Caller } from '../settlement/caller.ts';
import type { JsonObject } from '../util/json.ts';
import type { Refreshed } from '../util/refreshed.ts';
import type { RunningTests } from './credentials/try-credential.ts';
import type { WeeklyPopularity } from './models/query.ts';
import type { ProviderChecks } from './providers/check-provider.ts';
import type { AllAccountsUsage } from './usage/all-accounts-usage.ts';

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

/** Files that one process makes at the same time. */
const mostExports = 4;
/** Milliseconds after which a refused one may be asked for again. */
const busyRetry = 10_000;

/** Files that are being made: one for each key, and a few in all, because each reads as fast as its client. */
export class RunningExports {
  readonly #keys = new Set<string>();

  /**
   * Counts a file of a key.
   * @param now Unix milliseconds.
   * @returns To be called once it is made, or given up.
   * @throws HeadgateError `platform_rate_limit` for a file too many.
   */
  begin({ key: { hash } }: Caller, now: number): () => void {
    const resetsAt = now + busyRetry;
    if (this.#keys.has(hash)) {
      const message = 'A file is being made for this key: try again when it is done.';
      throw tooMany(message, { limit: 1, resetsAt, now });
    }
    if (this.#keys.size >= mostExports) {
      const message = `${mostExports} files are being made: try again when it is done.`;
      throw tooMany(message, { limit: mostExports, resetsAt, now });
    }
    this.#keys.add(hash);
    return () => this.#keys.delete(hash);
  }
}
