import type { Usage } from '../core/usage.ts';

/** A place that a call takes at an endpoint whose calls are limited (docs/spec/routing.md#limits-of-providers). */
export interface EndpointPlace {
  /**
   * Leaves it. Never fails.
   * @param usage Undefined where the provider reported none.
   */
  end(usage: Usage | undefined): void;
}
