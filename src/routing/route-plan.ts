import type { Catalogue, Endpoint, Model } from '../core/catalogue.ts';
import type { Feature } from '../core/features.ts';
import type { CanonicalRequest } from '../core/request.ts';
import type { RoutedModels } from '../core/routed-models.ts';
import type { RoutingRules } from '../core/routing-rules.ts';
import type { ProviderCredential } from '../ports/credentials.ts';
import type { CredentialClass, StickyEndpoint } from '../ports/stickiness.ts';
import type { UpstreamRegistry } from '../ports/upstream.ts';
import type { FeaturesUsed } from '../translation/features-used.ts';
import type { Alteration } from '../translation/translation.ts';
import type { Candidate } from './candidates.ts';
import type { StatisticsSnapshot } from './statistics-snapshot.ts';

/**
 * The hard rule that excluded an endpoint: `excluded_by` of docs/spec/routing.md#hard-filters, in the order of the
 * rules.
 */
export type FilterReason =
  | 'allowed_providers'
  | 'geo'
  | 'data_region'
  | 'data_policy:training'
  | 'data_policy:zdr'
  | 'distillable'
  | 'modality'
  | 'quantization'
  | 'context_length'
  | 'max_price'
  | 'require_parameters';

/**
 * Why an endpoint that passed the hard rules is not tried: it would alter a strict request, another endpoint of its
 * model supports more of the request, flexible capacity was requested and exists, only own credentials may be used,
 * or fallbacks are limited.
 */
export type PassedOverReason =
  | 'strict'
  | 'tools'
  | 'response_format'
  | 'verbosity'
  | 'service_tier'
  | 'own_credentials'
  | 'allow_fallbacks';

/** One endpoint of one model with one credential, to which a request may go. */
export interface Target {
  readonly model: Model;
  readonly endpoint: Endpoint;
  /** The account's own credential to use; undefined is the shared one. */
  readonly credential?: ProviderCredential;
  /** Which of several shared credentials, from 2; undefined is the first one. */
  readonly sharedKey?: number;
  readonly credentialClass: CredentialClass;
  /** What the router chose that led here; undefined where the request names the model. */
  readonly router?: RoutedModels;
}

/** An endpoint of a candidate, before credentials are considered. */
export interface CollectedEndpoint {
  readonly model: Model;
  readonly endpoint: Endpoint;
}

/** An endpoint that may not serve the request, and the first rule that excludes it. */
export interface ExcludedTarget extends CollectedEndpoint {
  readonly excludedBy: FilterReason;
  /** The feature of the request that the endpoint cannot serve, when that is the reason. */
  readonly refused?: Feature;
}

/** An endpoint that might serve the request but is not tried. */
export interface PassedOverTarget extends CollectedEndpoint {
  readonly because: PassedOverReason;
}

/** A request without hosted tools that no endpoint of its models can run. */
export interface ReducedRequest {
  readonly canonical: CanonicalRequest;
  /** The tools left out, as the client wrote their types, each once. */
  readonly tools: readonly string[];
  readonly alterations: readonly Alteration[];
}

/** Where a request may go, in the order of attempts. */
export interface RoutePlan {
  /** What the caller named, including retired models. */
  readonly requested: readonly string[];
  /** The requested models, in order, without duplicates. */
  readonly candidates: readonly Candidate[];
  /** Empty only when the request is refused. */
  readonly targets: readonly Target[];
  /** In the order of the rules. */
  readonly excluded: readonly ExcludedTarget[];
  readonly passedOver: readonly PassedOverTarget[];
  /** The number of endpoints before any was excluded. */
  readonly total: number;
  /** The features that the request uses beyond text and functions. */
  readonly used: FeaturesUsed;
  /** What to send instead of the request, where tools that nobody can run were left out; `used` is of this one. */
  readonly reduced?: ReducedRequest;
}

/** What an account and its operator decide for all its requests. Undefined means no restriction. */
export interface RoutePolicy {
  /** True where money is limited, by a balance or by a key's limit: only endpoints with a price can serve. */
  readonly pricedOnly: boolean;
  readonly accountId?: string;
  /**
   * The account's own credentials that this caller may use (docs/spec/credentials.md#selection), whatever the model.
   */
  readonly credentials?: readonly ProviderCredential[];
  /** True when only those credentials may be used. */
  readonly ownCredentialsOnly?: boolean;
  /** Each list narrows further. */
  readonly allowedProviders?: readonly (readonly string[])[];
  readonly ignoredProviders?: readonly string[];
  /** Models whose requests may only reach endpoints without retention. */
  readonly zeroRetention?: (model: Model) => boolean;
  /** What paid and free endpoints must not do with prompts. */
  readonly forbidPaidTraining?: boolean;
  readonly forbidFreeTraining?: boolean;
  readonly forbidFreePublication?: boolean;
  /** The ISO code of this installation's country. */
  readonly country?: string;
  /** Regions in which data may be processed. */
  readonly dataRegions?: readonly string[];
  readonly defaultSort?: 'price' | 'throughput' | 'latency' | 'exacto';
}

/** The length of the prompt, counted only on demand. */
export interface PromptSize {
  /** Upper bound in tokens; almost free to read. */
  readonly atMost: number;
  /** Estimated tokens. */
  readonly tokens: number;
}

/** Everything besides the request that decides where it goes. It does not change while a plan is made. */
export interface RoutingSnapshot {
  readonly policy: RoutePolicy;
  readonly rules: RoutingRules;
  readonly catalogue: Catalogue;
  readonly statistics: StatisticsSnapshot;
  readonly upstreams: UpstreamRegistry;
  readonly prompt: PromptSize;
  /** Unix milliseconds. */
  readonly now: number;
  /** Random numbers from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /** Whether to leave out hosted tools that nobody can run, instead of refusing the request. */
  readonly leavesOutTools?: boolean;
  /** The endpoint that served the conversation before. */
  readonly sticky?: (model: Model) => StickyEndpoint | undefined;
}
