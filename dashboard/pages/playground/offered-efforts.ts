import type { Model } from '../../../clients/headgate-api.ts';
import { efforts } from './draft.ts';

/** What the form offers for reasoning. */
export interface OfferedEfforts {
  /** From most to least. */
  readonly efforts: readonly string[];
  /** What the models do unless told otherwise, where it is one effort for all of them. */
  readonly usual: string | undefined;
}

/** The efforts that at least one of the models knows. @param models As typed: variants too, or nothing for the preset's model. */
export function offeredEfforts(models: readonly string[], listed: readonly Model[]): OfferedEfforts {
  const each = models.map((model) => reasoningOf(model, listed));
  const known = new Set(each.flatMap((one) => (one === undefined ? efforts : effortsOf(one))));
  const usual = new Set(
    each.map((one) => (one === undefined || one === 'none' ? undefined : one.default_effort)),
  );
  const [only] = usual;
  return {
    efforts: efforts.filter((effort) => known.has(effort)),
    usual: usual.size === 1 ? only : undefined,
  };
}

type Reasoning = NonNullable<Model['reasoning']>;

/** How a model reasons: `none` where it does not, undefined where nothing is known of it. */
function reasoningOf(model: string, listed: readonly Model[]): Reasoning | 'none' | undefined {
  const [base] = model.split(':');
  const found = listed.find(({ id }) => id === model) ?? listed.find(({ id }) => id === base);
  return found === undefined ? undefined : (found.reasoning ?? 'none');
}

function effortsOf(reasoning: Reasoning | 'none'): readonly string[] {
  if (reasoning === 'none') return [];
  const { supported_efforts: supported, mandatory } = reasoning;
  return supported?.map(String) ?? efforts.filter((effort) => effort !== 'none' || !mandatory);
}
