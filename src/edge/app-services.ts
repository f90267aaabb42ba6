import type { Config } from '../config/config.ts';
import type { HeadgateError } from '../core/errors.ts';
import type { NanoUsd } from '../core/money.ts';
import type { CarrierSeal, PublicDialect } from '../dialects/public-dialect.ts';
import type { StoredFiles } from '../files/stored-files.ts';
import type { DependencyHealth } from '../metrics/dependency-health.ts';
import type { GatewayMetrics } from '../metrics/gateway-metrics.ts';
import type { CallerDirectory } from '../pipeline/caller-directory.ts';
import type { Services } from '../pipeline/services.ts';
import type { RefusalLog } from '../ports/audit.ts';
import type { CachedAnswers } from '../ports/cached-answers.ts';
import type { CredentialForms } from '../ports/credential-forms.ts';
import type { CredentialVault } from '../ports/credentials.ts';
import type { Change } from '../ports/invalidation.ts';
import type { Storage } from '../ports/storage.ts';
import type { StoredAnswers } from '../ports/stored-answers.ts';
import type { Caller } from '../settlement/caller.ts';
import type { AnswerMemory } from './answer-memory.ts';
import type { BodyBudget } from './body-budget.ts';
import type { EdgeLog, LoadState } from './edge-services.ts';
import type { FailedAuthentications } from './failed-authentications.ts';

/** Seals what is kept of answers, each under its key. */
export interface AnswerSeal {
  /** Base64. */
  seal(bytes: Uint8Array, key: string): string;
  /** Undefined for what was altered, moved to another key, or sealed under another master key. */
  open(sealed: string, key: string): Buffer | undefined;
}

/** What the HTTP edge needs; put together at the composition root. */
export interface AppServices extends Services {
  readonly config: Config;
  /** The public dialects, each at a path of its own; those with rows in the table of routes come first. */
  readonly dialects: readonly PublicDialect[];
  readonly storage: Storage;
  readonly files: StoredFiles;
  readonly callers: CallerDirectory;
  readonly failedAuthentications: FailedAuthentications;
  readonly storedAnswers: StoredAnswers;
  readonly cachedAnswers: CachedAnswers;
  /** Seals cached answers. */
  readonly answerSeal: AnswerSeal;
  /** Told each look for a cached answer: what the one that was found had cost, undefined where there was none. */
  readonly onCacheLookup?: (saved: NanoUsd | undefined) => void;
  /** What guards the requests of a caller: an answer is only shared under the same guardrails. */
  readonly guardrails?: { of(caller: Caller): { readonly applied: unknown } | undefined };
  /** Told what a request has changed once that is stored, so that every process forgets what it knew. Waits for nobody. */
  readonly invalidate: (change: Change) => void;
  readonly log: EdgeLog;
  readonly refusals: RefusalLog;
  /** A stable pseudonym of an end user of an account, safe to show a provider (docs/spec/accounts.md#end-users). */
  readonly pseudonym: (accountId: string, endUser: string | undefined) => string;
  /** Seals what clients carry between requests, for one account. */
  readonly carriers: (accountId: string) => CarrierSeal;
  readonly vault: CredentialVault;
  readonly credentialForms: CredentialForms;
  readonly lifecycle: Lifecycle;
  readonly load: LoadState;
  /** Limits the memory of all request bodies together. */
  readonly bodies: BodyBudget;
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
  /** Calls back once new requests are refused. */
  onDrain(listener: () => void): void;
}
