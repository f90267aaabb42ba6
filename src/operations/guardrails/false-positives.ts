import { builtinNames } from '../../core/builtin-names.ts';
import type { GuardrailRules } from '../../core/guardrail.ts';
import type { FileGuardrail } from '../../guardrails/guardrail-directory.ts';
import type { FalsePositives } from '../../ports/guardrails.ts';
import { malformed } from '../../schema/fault.ts';
import { isoTime } from '../../util/iso-time.ts';
import { dayLength } from '../../util/utc-windows.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor } from '../actor.ts';
import type { Uses } from '../services.ts';
import { findGuardrail } from './find-guardrail.ts';

/** The detection that somebody says is wrong, as the pipeline entry names it. */
export interface Detection {
  /** The name of one in the configuration file. */
  readonly guardrailId: string;
  readonly filter: string;
}

/**
 * Counts a report that a filter found what is none, and returns the filter's name in pipeline entries
 * (docs/spec/guardrails.md#false-positives).
 * @throws HeadgateError `not_found` for the guardrail; `invalid_request` for a filter that it does not have.
 */
export async function reportFalsePositive(
  actor: Actor,
  { guardrailId, filter }: Detection,
  file: readonly FileGuardrail[],
  services: Uses<'accounts' | 'workspaces' | 'guardrails', 'clock'>,
): Promise<Detection> {
  const { id: accountId } = await accountOf(actor, undefined, services);
  const { id, rules } = await named(actor, guardrailId, file, services);
  const names = namesOf(rules);
  const found = names.get(filter) ?? names.get(filter.toLowerCase());
  if (found === undefined) {
    throw malformed('filter', 'is no filter of this guardrail; expected a name of matched_entity_types');
  }
  const day = Math.floor(services.clock.now() / dayLength);
  await services.storage.guardrails.countFalsePositive({ accountId, guardrailId: id, filter: found }, day);
  return { guardrailId: id, filter: found };
}

/** How often each filter was reported in the last days. */
export async function listFalsePositives(
  actor: Actor,
  days: number,
  services: Uses<'accounts' | 'guardrails', 'clock'>,
): Promise<readonly FalsePositives[]> {
  const { id } = await accountOf(actor, undefined, services);
  const today = Math.floor(services.clock.now() / dayLength);
  return services.storage.guardrails.falsePositives(id, today - days + 1);
}

/** What was reported of a filter as JSON. */
export function showFalsePositives({ guardrailId, filter, reports, lastDay }: FalsePositives) {
  const day = isoTime(lastDay * dayLength).slice(0, 10);
  return { guardrail_id: guardrailId, filter, reports, last_reported_on: day };
}

async function named(
  actor: Actor,
  id: string,
  file: readonly FileGuardrail[],
  services: Uses<'accounts' | 'workspaces' | 'guardrails'>,
): Promise<{ readonly id: string; readonly rules: GuardrailRules }> {
  const declared = file.find(({ name }) => name === id);
  return declared === undefined ? findGuardrail(actor, id, services) : { id, rules: declared.rules };
}

/** The filters of a guardrail as pipeline entries name them, by these names and by their slugs. */
function namesOf({ contentFilterBuiltins, contentFilters }: GuardrailRules): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { label } of contentFilters ?? []) names.set(label ?? 'CUSTOM', label ?? 'CUSTOM');
  for (const { slug } of contentFilterBuiltins ?? []) {
    const { entity } = builtinNames[slug];
    names.set(slug, entity).set(entity, entity);
  }
  return names;
}
