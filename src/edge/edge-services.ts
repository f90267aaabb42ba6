import type { Logger } from 'pino';
import type { ServerConfig } from '../config/config.ts';
import type { BodyBudget } from '../http/body-budget.ts';
import type { CallerDirectory } from '../pipeline/caller-directory.ts';
import type { RequestEvents } from '../pipeline/request-events.ts';
import type { RefusalLog } from '../ports/audit.ts';
import type { Clock } from '../ports/clock.ts';
import type { DashboardSessionStore } from '../ports/dashboard-sessions.ts';
import type { RequestTraces } from '../ports/request-trace.ts';
import type { FailedAuthentications } from './failed-authentications.ts';
import type { LoadState } from './load-guard.ts';

/** What the edge needs to bring a request to its route and to answer it. */
export interface EdgeServices extends FailureServices {
  readonly clock: Clock;
  readonly callers: CallerDirectory;
  /** Limits how often an address may try keys. */
  readonly failedAuthentications: FailedAuthentications;
  readonly lifecycle: { readonly draining: boolean };
  readonly load: LoadState;
  /** Limits the memory of all request bodies together. */
  readonly bodies: BodyBudget;
  /** Records management calls that are refused. */
  readonly refusals: RefusalLog;
  /** Begins notes for spans; undefined where none are made. */
  readonly traces?: RequestTraces | undefined;
  readonly storage: { readonly sessions: DashboardSessionStore };
}

/** What is needed to answer a request that failed. */
export interface FailureServices {
  /** Read anew for each request: it can change while the server runs. */
  readonly config: { readonly server: ServerConfig };
  readonly log: EdgeLog;
  /** Hears once of every error that a request is answered with. */
  readonly events: RequestEvents;
}

/** Where the edge writes what operators should know. */
export type EdgeLog = Pick<Logger, 'info' | 'warn' | 'error'>;
