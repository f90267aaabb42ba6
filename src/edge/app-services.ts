import type { Config } from '../config/config.ts';
import type { HeadgateError } from '../core/errors.ts';
import type { PublicDialect } from '../dialects/public-dialect.ts';
import type { DependencyHealth } from '../metrics/dependency-health.ts';
import type { GatewayMetrics } from '../metrics/gateway-metrics.ts';
import type { CallerDirectory } from '../pipeline/caller-directory.ts';
import type { Services } from '../pipeline/services.ts';
import type { RefusalLog } from '../ports/audit.ts';
import type { CredentialForms } from '../ports/credential-forms.ts';
import type { CredentialVault } from '../ports/credentials.ts';
import type { Change } from '../ports/invalidation.ts';
import type { Storage } from '../ports/storage.ts';
import type { StoredAnswers } from '../ports/stored-answers.ts';
import type { AnswerMemory } from './answer-memory.ts';
import type { EdgeLog, LoadState } from './edge-services.ts';

/** What the HTTP edge needs; put together at the composition root. */
export interface AppServices extends Services {
  readonly config: Config;
  /** The public dialects, each at a path of its own; the first one is that of `POST /responses`. */
  readonly dialects: readonly PublicDialect[];
  readonly storage: Storage;
  readonly callers: CallerDirectory;
  readonly storedAnswers: StoredAnswers;
  /** Told what a request has changed once that is stored, so that every process forgets what it knew. Waits for nobody. */
  readonly invalidate: (change: Change) => void;
  readonly log: EdgeLog;
  readonly refusals: RefusalLog;
  /** A stable pseudonym of an end user of an account, safe to show a provider (docs/spec/accounts.md#end-users). */
  readonly pseudonym: (accountId: string, endUser: string | undefined) => string;
  readonly vault: CredentialVault;
  readonly credentialForms: CredentialForms;
  readonly lifecycle: Lifecycle;
  readonly load: LoadState;
  /** Limits the memory of all running answers together. */
  readonly answerMemory: AnswerMemory;
  readonly health: Pick<DependencyHealth, 'check'>;
  readonly metrics: Pick<GatewayMetrics, 'render'>;
  /** Told every error that a request is answered with instead of an answer, once. */
  readonly onRefused: (error: HeadgateError) => void;
}

/** Whether the server takes requests, and the requests it is still answering. */
export interface Lifecycle {
  /** Whether it says that it is ready; false at first and while draining. */
  readonly ready: boolean;
  /** Whether new requests are refused. */
  readonly draining: boolean;
  /** Notes a running request; call the result when it is over. */
  begin(abort: (reason: unknown) => void, streamed: boolean): () => void;
}
