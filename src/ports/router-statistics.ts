import type { NanoUsd, PicoUsd } from '../core/money.ts';

/** What one model did for one kind of task in the last seven days, by list prices. */
export interface TaskTraffic {
  readonly spend: NanoUsd;
  readonly generations: number;
}

/**
 * What routers know of the traffic of the last seven days (docs/spec/routers.md#traffic). Read often, so each answer is
 * immediate; figures may be some minutes old.
 */
export interface RouterStatistics {
  /** Resolves when the figures were read once, or could not be; those of input too where they are needed. Never fails. */
  ready(needsInputPrices: boolean): Promise<void>;
  /** By the id of the model; empty where nothing is known of a kind of task. */
  traffic(task: string): ReadonlyMap<string, TaskTraffic>;
  /** What a token of input of a model cost on average, its cache included; undefined without traffic. */
  inputPrice(modelId: string): PicoUsd | undefined;
}

/** Nothing is known. */
export const noTraffic: RouterStatistics = {
  ready: async () => {},
  traffic: () => new Map(),
  inputPrice: () => undefined,
};
