import type { AppliedGuardrail, GuardrailRules } from '../core/guardrail.ts';

/** What guardrails demand together of models and providers (docs/spec/guardrails.md#combination). */
export interface Restrictions {
  /** A model must be in each of these lists. */
  readonly allowedModels: readonly (readonly string[])[];
  readonly ignoredModels: readonly string[];
  /** A provider must be in each of these lists. */
  readonly allowedProviders: readonly (readonly string[])[];
  readonly ignoredProviders: readonly string[];
  readonly forbidPaidTraining: boolean;
  readonly forbidFreeTraining: boolean;
  readonly forbidFreePublication: boolean;
  /** Whether requests for a model may only go where nothing is retained; undefined where none must. */
  readonly zeroRetention: ((modelId: string) => boolean) | undefined;
}

/** Undefined where nothing is restricted. Guardrails that only observe restrict nothing. */
export function combineRestrictions(applied: readonly AppliedGuardrail[]): Restrictions | undefined {
  const rules = applied.filter(({ rules: { mode } }) => mode === 'enforce').map((one) => one.rules);
  const lists = (read: (one: GuardrailRules) => readonly string[] | null) =>
    rules.map(read).filter((list) => list !== null);
  const isForbidden = (read: (one: GuardrailRules) => boolean | null) =>
    rules.some((one) => read(one) === false);
  const groups = rules.filter((one) => Object.values(one.zeroRetention).includes(true));
  const restrictions: Restrictions = {
    allowedModels: lists(({ allowedModels }) => allowedModels),
    ignoredModels: lists(({ ignoredModels }) => ignoredModels).flat(),
    allowedProviders: lists(({ allowedProviders }) => allowedProviders),
    ignoredProviders: lists(({ ignoredProviders }) => ignoredProviders).flat(),
    forbidPaidTraining: isForbidden(({ enablePaidModelTraining }) => enablePaidModelTraining),
    forbidFreeTraining: isForbidden(({ enableFreeModelTraining }) => enableFreeModelTraining),
    forbidFreePublication: isForbidden(({ enableFreeModelPublication }) => enableFreeModelPublication),
    zeroRetention:
      groups.length === 0 ? undefined : (id) => groups.some((one) => needsZeroRetention(one, id)),
  };
  const restricts = Object.values(restrictions).some((one) =>
    Array.isArray(one) ? one.length > 0 : one !== undefined && one !== false,
  );
  return restricts ? restrictions : undefined;
}

/** Groups are named by authors without hyphens; models of all other authors belong to the group `other`. */
function needsZeroRetention({ zeroRetention }: GuardrailRules, modelId: string): boolean {
  const author = modelId.split('/', 1)[0]?.toLowerCase().replaceAll('-', '') ?? '';
  const group = Object.hasOwn(zeroRetention, author) ? author : 'other';
  return zeroRetention[group] === true;
}
