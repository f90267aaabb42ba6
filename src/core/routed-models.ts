import type { HeadgateError } from './errors.ts';
import type { PicoUsd } from './money.ts';
import type { PipelineEntry } from './route-report.ts';
import type { RouterId, RouterStrategy } from './router-names.ts';

/** The models that a router chose for one request (docs/spec/routers.md#choosing). */
export interface RoutedModels {
  readonly router: RouterId;
  readonly strategy: RouterStrategy;
  /** Ids of the catalogue in the order of attempts; at least one. */
  readonly models: readonly string[];
  /** Whether the models behind the first one are only tried after transient failures and rate limits. */
  readonly onlyTransient?: true;
  /** Endpoints whose input costs more are left out. */
  readonly promptCap?: PicoUsd;
  /** The kind of task that was recognised; undefined where none was. */
  readonly task?: string;
  /** What was chosen and why. */
  readonly entry: PipelineEntry;
}

/** What a router chose, or why it has nothing to choose from. */
export type RouterOutcome = RoutedModels | HeadgateError;
