import type { HeadgateError } from '../core/errors.ts';
import type { Usage } from '../core/usage.ts';
import type { Target } from './route-plan.ts';

/** A place that a call takes at an endpoint whose calls are limited. */
export interface EndpointPlace {
  /**
   * Leaves it. Never fails.
   * @param usage Undefined where the provider reported none.
   */
  end(usage: Usage | undefined): void;
}

/** The limits of the operator for calls of providers and endpoints (docs/spec/routing.md#limits-of-providers). */
export interface EndpointPlaces {
  /** Takes a place; undefined where nothing limits the endpoint. Resolves with the reason where there is none. */
  take(target: Target): Promise<EndpointPlace | HeadgateError> | undefined;
  /** Waits for a place at any of these, in this order. Resolves with the last reason when there is none in time. */
  await(
    targets: readonly Target[],
  ): Promise<{ readonly target: Target; readonly place: EndpointPlace } | HeadgateError>;
}
