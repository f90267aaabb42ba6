import type { Logger } from 'pino';
import type { ServerConfig } from '../config/config.ts';
import type { BodyBudget } from '../http/body-budget.ts';
import type { CallerDirectory } from '../pipeline/caller-directory.ts';
import type { RequestEvents } from '../pipeline/request-events.ts';
import type { RefusalLog } from '../ports/audit.ts';
import type { Clock } from '../ports/clock.ts';
import type { DashboardSessionStore } from '../ports/dashboard-sessions.ts';
import type { RequestTraces } from '../ports/request-trace.ts';
import type { Caller } from '../settlement/caller.ts';
import type { FailedAuthentications } from './failed-authentications.ts';
import type { LoadState } from './load-guard.ts';

/** Finds callers by signed tokens (docs/spec/workloads.md). */
export interface WorkloadAuthentication {
  /** Issuers whose keys are old because they cannot be read, with their age in milliseconds. */
  readonly staleIssuers: readonly { readonly id: string; readonly age: number }[];
  /** Whether a text is a token that is judged here, and so is never tried as a key. */
  takes(text: string): boolean;
  /**
   * The caller that a token stands for, at once where it is known; undefined where the key is not there any more.
   * @param beforeVerifying Called before a token is verified that is not known; may throw to refuse.
   * @throws HeadgateError `authentication`, `permission_denied` or `service_unavailable`.
   */
  find(token: string, beforeVerifying: () => void): Caller | undefined | Promise<Caller | undefined>;
}

/** What the edge needs to bring a request to its route and to answer it. */
export interface EdgeServices extends FailureServices {
  readonly clock: Clock;
  readonly callers: CallerDirectory;
  /** Finds callers by tokens of their platform; undefined where nothing of that kind is served. */
  readonly workloads?: WorkloadAuthentication | undefined;
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
