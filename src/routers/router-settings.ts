import type { InferenceRequest } from '../core/inference-request.ts';
import type { JsonObject } from '../util/json.ts';
import { type CostTier, costTiers } from './auto/cost-bands.ts';

/** The settings that a request gives a router in its plugin entry; empty without one, or where it is turned off. */
export function settingsFor(pluginId: string, { plugins }: InferenceRequest): JsonObject {
  const entry = plugins?.find(({ id }) => id === pluginId);
  return entry?.enabled === true ? entry.settings : {};
}

/** A list of texts of checked settings; undefined where it is absent. */
export function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : undefined;
}

/** A number of checked settings. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** A cost tier of checked settings. */
export function costTierOf(value: unknown): CostTier | undefined {
  const names = Object.keys(costTiers) as readonly CostTier[];
  return names.find((name) => name === value);
}
