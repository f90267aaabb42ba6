import type { FileAnnotation } from './parsed-file.ts';

/**
 * Why no endpoint could serve, for `error.metadata.availability` (docs/spec/errors.md#body,
 * docs/spec/errors.md#availability).
 */
export interface Availability {
  readonly code: string;
  readonly retryable: boolean;
  readonly requested_models: readonly string[];
  readonly docs_url: string;
  readonly retry_after?: number;
  readonly affected_providers?: readonly string[];
  readonly excluded_by?: readonly string[];
  readonly fallback_models?: readonly string[];
  readonly constraint?: { readonly field: string; readonly detail: string };
  /** Of a request that is too long: what it needs by estimate, and the longest context there is. */
  readonly tokens?: { readonly input: number; readonly output: number; readonly available: number };
}

/** One failed attempt in `previous_errors`; `code` is the equivalent HTTP status. */
export interface PreviousError {
  readonly provider: string;
  readonly code: string;
  readonly status: number;
}

/** A limit of requests, tokens or parallel requests, and what counts against it. */
export interface ReachedRate {
  readonly metric: 'requests' | 'tokens' | 'parallel';
  readonly limit: number;
  readonly used: number;
  /** Absent for parallel requests. */
  readonly window_seconds?: number;
}

/** The public `error.metadata` members besides `error_type` (docs/spec/errors.md#body). */
export interface ErrorMetadata {
  readonly provider_code?: string;
  readonly provider_name?: string;
  /** The printable part of the account's own credential that the provider refused (docs/spec/routing.md#outcomes). */
  readonly credential_label?: string;
  readonly previous_errors?: readonly PreviousError[];
  /** What an operation needs that the role of the caller does not reach, and the roles that do. */
  readonly permission?: string;
  readonly roles?: readonly string[];
  readonly limit_source?: string;
  readonly reason?: string;
  /** The limit of a rate that was reached. */
  readonly rate?: ReachedRate;
  readonly remedy_hint?: string;
  /** Of a budget that is used up: whose it is, and its numbers. Null where it never begins anew. */
  readonly scope?: string;
  readonly limit_usd?: number;
  readonly spend_usd?: number;
  readonly resets_at?: string | null;
  /** What prompt-injection detection found, at most 20 pieces of 200 characters. */
  readonly patterns?: readonly string[];
  readonly availability?: Availability;
  /** Members of the request that need a conversation kept by the server (docs/spec/messages.md#threads). */
  readonly unsupported?: readonly string[];
  /** What was read of files, for a retry (docs/spec/plugins.md#annotations). */
  readonly file_annotations?: readonly FileAnnotation[];
  /** Why moderation flagged the input: names of categories. */
  readonly reasons?: readonly string[];
  /** What was flagged, at most 100 characters. */
  readonly flagged_input?: string;
  readonly model_slug?: string;
}
