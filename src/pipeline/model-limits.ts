import type { GuardrailSource } from '../guardrails/guardrail-directory.ts';
import type { ModelLimits } from '../routing/allowed-models.ts';
import type { Caller } from '../settlement/caller.ts';

/** The models that a caller's key and guardrails allow; undefined is all. */
export function modelLimitsOf(
  caller: Caller,
  { guardrails }: { readonly guardrails?: GuardrailSource },
): ModelLimits | undefined {
  const ofKey = caller.key.allowedModels;
  const restrictions = guardrails?.of(caller)?.restrictions;
  if (restrictions === undefined) return ofKey === null ? undefined : { ofKey };
  return { ofKey, allowed: restrictions.allowedModels, ignored: restrictions.ignoredModels };
}
