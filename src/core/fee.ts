import type { NanoUsd } from './money.ts';
import type { ServiceType } from './tool.ts';

/** What a tool or a plugin of the gateway costs beside the turns it takes. */
export interface Fee {
  /** What it is for, as its record names it. */
  readonly type: ServiceType;
  readonly amount: NanoUsd;
  /** Searches of the web that it was for. */
  readonly searches?: number;
}
