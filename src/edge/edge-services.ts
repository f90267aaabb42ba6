import type { Logger } from 'pino';
import type { ServerConfig } from '../config/config.ts';
import type { HeadgateError } from '../core/errors.ts';
import type { CallerDirectory } from '../pipeline/caller-directory.ts';
import type { RefusalLog } from '../ports/audit.ts';
import type { Clock } from '../ports/clock.ts';
import type { Overload } from './load-guard.ts';

/** What the edge needs to bring a request to its route and to answer it. */
export interface EdgeServices extends FailureServices {
  readonly clock: Clock;
  readonly callers: CallerDirectory;
  readonly lifecycle: { readonly draining: boolean };
  readonly load: LoadState;
  /** Records management calls that are refused. */
  readonly refusals: RefusalLog;
}

/** What is needed to answer a request that failed. */
export interface FailureServices {
  /** Read anew for each request: it can change while the server runs. */
  readonly config: { readonly server: ServerConfig };
  readonly log: EdgeLog;
  /** Told every error that a request is answered with, once. */
  readonly onRefused: (error: HeadgateError) => void;
}

/** Whether this process can take more requests. */
export interface LoadState {
  /** Why it cannot; undefined while it can. */
  readonly overload: Overload | undefined;
}

/** Where the edge writes what operators should know. */
export type EdgeLog = Pick<Logger, 'info' | 'warn' | 'error'>;
