import type { Catalogue, Endpoint, Model } from '../core/catalogue.ts';
import type { Feature } from '../core/features.ts';
import type { RoutingRules } from '../core/routing-rules.ts';
import type { ProviderCredential } from '../ports/credentials.ts';
import type { CredentialClass, StickyEndpoint } from '../ports/stickiness.ts';
import type { UpstreamRegistry } from '../ports/upstream.ts';
import type { FeaturesUsed } from '../translation/features-used.ts';
import type { Candidate } from './candidates.ts';
import type { StatisticsSnapshot } from './statistics-snapshot.ts';

/** Which hard rule excluded an endpoint: `excluded_by` of routing.md 3.2, in the order the rules run. */
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
 * Why an endpoint that passed the hard rules is not tried all the same: it would have to alter a strict request,
 * another of its model takes what it does not, flexible capacity was asked for and there is some, own credentials
 * alone may be used, or fallbacks are limited.
 */
export type PassedOverReason =
  | 'strict'
  | 'tools'
  | 'response_format'
  | 'verbosity'
  | 'service_tier'
  | 'own_credentials'
  | 'allow_fallbacks';

/** One endpoint of one model with one credential, as a request may reach it. */
export interface Target {
  readonly model: Model;
  readonly endpoint: Endpoint;
  /** The account's own credential it is pinned to; undefined is the shared one. */
  readonly credential?: ProviderCredential;
  readonly credentialClass: CredentialClass;
}

/** An endpoint of a candidate, before credentials count. */
export interface CollectedEndpoint {
  readonly model: Model;
  readonly endpoint: Endpoint;
}

/** An endpoint that may not serve the request, and the first rule that says so. */
export interface ExcludedTarget extends CollectedEndpoint {
  readonly excludedBy: FilterReason;
  /** The feature of the request that the endpoint cannot serve, when that is the reason. */
  readonly refused?: Feature;
}

/** An endpoint that might serve the request but is not tried. */
export interface PassedOverTarget extends CollectedEndpoint {
  readonly because: PassedOverReason;
}

/** Where a request may go, in the order to try. */
export interface RoutePlan {
  /** What the caller named, those that are served no more too. */
  readonly requested: readonly string[];
  /** The models asked for, in order, without repetitions. */
  readonly candidates: readonly Candidate[];
  /** Empty only where the request is refused. */
  readonly targets: readonly Target[];
  /** In the order of the rules. */
  readonly excluded: readonly ExcludedTarget[];
  readonly passedOver: readonly PassedOverTarget[];
  /** Endpoints considered before any was excluded. */
  readonly total: number;
  /** What the request asks for beyond text and functions. */
  readonly used: FeaturesUsed;
}

/** What an account and its operator decide about all its requests. Undefined is no restriction. */
export interface RoutePolicy {
  /** True where money is limited, by a balance or by the limit of a key: only endpoints with a price can serve. */
  readonly pricedOnly: boolean;
  readonly accountId?: string;
  /** The account's own credentials that this caller may use (accounts-and-limits 6.4.1), whatever the model. */
  readonly credentials?: readonly ProviderCredential[];
  /** True when nothing but those credentials may be spent. */
  readonly ownCredentialsOnly?: boolean;
  /** Each list narrows further. */
  readonly allowedProviders?: readonly (readonly string[])[];
  readonly ignoredProviders?: readonly string[];
  /** Models whose requests may only reach endpoints that keep nothing. */
  readonly zeroRetention?: (model: Model) => boolean;
  /** What endpoints that cost something, and those that are free, must not do with prompts. */
  readonly forbidPaidTraining?: boolean;
  readonly forbidFreeTraining?: boolean;
  readonly forbidFreePublication?: boolean;
  /** Where this installation stands, as an ISO code. */
  readonly country?: string;
  /** Where data may be processed. */
  readonly dataRegions?: readonly string[];
  readonly defaultSort?: 'price' | 'throughput' | 'latency' | 'exacto';
}

/** How long the prompt is, counted only by those who need to know exactly. */
export interface PromptSize {
  /** Tokens it has at most; costs next to nothing. */
  readonly atMost: number;
  /** Tokens as estimated. */
  readonly tokens: number;
}

/** Everything besides the request that decides where it goes. Nothing of it changes while a plan is made. */
export interface RoutingSnapshot {
  readonly policy: RoutePolicy;
  readonly rules: RoutingRules;
  readonly catalogue: Catalogue;
  readonly statistics: StatisticsSnapshot;
  readonly upstreams: UpstreamRegistry;
  readonly prompt: PromptSize;
  /** Unix milliseconds. */
  readonly now: number;
  /** Numbers from 0 until below 1. */
  readonly random: () => number;
  /** Where the conversation was served before. */
  readonly sticky?: (model: Model) => StickyEndpoint | undefined;
}
