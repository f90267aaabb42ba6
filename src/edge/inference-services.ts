import type { Config } from '../config/config.ts';
import type { Catalogue } from '../core/catalogue.ts';
import type { CarrierSeal } from '../dialects/public-dialect.ts';
import type { EvaluationServices } from '../pipeline/evaluate-request.ts';
import type { Services } from '../pipeline/services.ts';
import type { CachedAnswers } from '../ports/cached-answers.ts';
import type { Clock } from '../ports/clock.ts';
import type { PresetStore } from '../ports/presets.ts';
import type { StoredAnswers } from '../ports/stored-answers.ts';
import type { AnswerMemory } from './answer-memory.ts';
import type { EdgeServices, FailureServices } from './edge-services.ts';
import type { RunningCalls } from './live/running-calls.ts';

/** What reading a call needs. */
export interface ReadServices extends Pick<Services, 'catalogue' | 'clock'> {
  readonly config: Pick<Config, 'compat' | 'plugins' | 'responses'>;
  /** A stable pseudonym of an end user of an account, safe to show a provider (docs/spec/accounts.md#end-users). */
  readonly pseudonym: (accountId: string, endUser: string | undefined) => string;
  /** Seals what clients carry between requests, for one account. */
  readonly carriers: (accountId: string) => CarrierSeal;
}

/** What a running call needs besides the pipeline. */
export interface RunningServices {
  readonly config: Pick<Config, 'server' | 'limits'>;
  readonly lifecycle: Pick<Lifecycle, 'begin'>;
  /** Limits the memory of all running answers together. */
  readonly answerMemory: AnswerMemory;
  readonly runningCalls: RunningCalls;
  readonly clock: Clock;
  readonly catalogue: () => Catalogue;
}

/** What answering once for a key needs. */
export interface IdempotencyServices extends Services, FailureServices, RunningServices {
  readonly config: RunningServices['config'] & Pick<Config, 'compat'>;
  readonly storedAnswers: StoredAnswers;
}

/** What decides whether an answer may be shared. */
export interface CachingServices extends EvaluationServices {
  readonly config: Pick<Config, 'compat'>;
}

/** What keeps answers and serves them again. */
export interface CacheServices extends Services {
  readonly config: Pick<Config, 'responses'>;
  readonly cachedAnswers: CachedAnswers;
  /** Seals cached answers. */
  readonly answerSeal: AnswerSeal;
}

/** What finding a preset needs. */
export interface PresetServices {
  readonly config: Pick<Config, 'presets' | 'compat'>;
  readonly storage: { readonly presets: PresetStore };
}

/** What a WebSocket needs for its messages. */
export interface SocketServices extends InferenceServices, EdgeServices {
  readonly config: Config;
  readonly lifecycle: Lifecycle;
  readonly storage: EdgeServices['storage'] & PresetServices['storage'];
}

/** What answering a call of a public dialect needs. */
export interface InferenceServices
  extends ReadServices,
    IdempotencyServices,
    CachingServices,
    CacheServices,
    PresetServices {
  readonly config: Config;
}

/** Seals what is kept of answers, each under its key. */
export interface AnswerSeal {
  /** Base64. */
  seal(bytes: Uint8Array, key: string): string;
  /** Undefined for what was altered, moved to another key, or sealed under another master key. */
  open(sealed: string, key: string): Buffer | undefined;
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
