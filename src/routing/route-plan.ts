import type { Endpoint, Model } from '../core/catalogue.ts';
import type { Feature } from '../core/features.ts';
import type { FeaturesUsed } from '../translation/features-used.ts';

/** Which rule excluded an endpoint: `excluded_by` of routing.md 3.2. */
export type FilterReason =
  | 'allowed_providers'
  | 'data_policy:training'
  | 'data_policy:zdr'
  | 'modality'
  | 'quantization'
  | 'context_length'
  | 'max_price'
  | 'require_parameters';

/** One endpoint of one model, as a request may reach it. */
export interface Target {
  readonly model: Model;
  readonly endpoint: Endpoint;
}

/** An endpoint that may not serve the request, and the first rule that says so. */
export interface ExcludedTarget extends Target {
  readonly excludedBy: FilterReason;
  /** The feature of the request that the endpoint cannot serve, when that is the reason. */
  readonly refused?: Feature;
}

/** Where a request may go, in the order to try. */
export interface RoutePlan {
  /** The slug as the caller wrote it. */
  readonly requested: string;
  /** Never empty. */
  readonly targets: readonly Target[];
  readonly excluded: readonly ExcludedTarget[];
  /** Endpoints considered before any was excluded. */
  readonly total: number;
  /** What the request asks for beyond text and functions. */
  readonly used: FeaturesUsed;
}

/** What besides the request decides. */
export interface RoutePolicy {
  /** True for accounts that pay in advance: an endpoint without a price cannot serve them. */
  readonly pricedOnly: boolean;
}
