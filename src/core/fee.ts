import type { NanoUsd } from './money.ts';
import type { ServiceType } from './tool.ts';
import type { ImplausibleCount } from './usage.ts';

/** What a tool or a plugin of the gateway costs beside the turns it takes. */
export interface Fee {
  /** What it is for, as its record names it. */
  readonly type: ServiceType;
  readonly amount: NanoUsd;
  /** Searches of the web that it was for. */
  readonly searches?: number;
  /** Counts of its engine that could not be true and were estimated instead. */
  readonly implausible?: readonly ImplausibleCount[];
}
