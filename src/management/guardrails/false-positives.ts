import { builtinNames } from '../../core/builtin-names.ts';
import {
  type AppliedGuardrail,
  type GuardrailRules,
  type GuardrailScope,
  plainRules,
} from '../../core/guardrail.ts';
import type { PipelineEntry } from '../../core/route-report.ts';
import {
  combineGuardrails,
  type FileGuardrail,
  GuardrailDirectory,
  type GuardrailSubject,
} from '../../guardrails/guardrail-directory.ts';
import { judgeScan } from '../../guardrails/judge-scan.ts';
import type { FalsePositives } from '../../ports/guardrails.ts';
import { malformed } from '../../schema/fault.ts';
import { isoTime } from '../../util/iso-time.ts';
import { dayLength } from '../../util/utc-windows.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor } from '../actor.ts';
import { findKey } from '../keys/keys.ts';
import type { Uses } from '../services.ts';
import { findGuardrail, type GuardrailSurroundings } from './guardrails.ts';
import { checkPatterns, readWrittenRules, type WrittenGuardrail } from './rules.ts';

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

/** A text, and by which guardrails it is tried: one that is stored, one that is not, or all that apply to a key. */
interface GuardrailTrial {
  readonly text: string;
  readonly guardrailId?: string | undefined;
  readonly draft?: WrittenGuardrail | undefined;
  readonly keyHash?: string | undefined;
  /** Whether the text counts as the user's. */
  readonly isUser: boolean;
}

/** What guardrails would make of a text. */
interface TriedGuardrail {
  readonly verdict: 'pass' | 'flag' | 'redact' | 'block';
  /** The text as a provider would get it; undefined when it is blocked. */
  readonly text: string | undefined;
  /** Why it is blocked. */
  readonly message: string | undefined;
  readonly patterns: readonly string[];
  readonly entries: readonly PipelineEntry[];
}

/**
 * Tries a text without calling or charging anything (docs/spec/guardrails.md#trying).
 * @throws HeadgateError `invalid_request` unless one of guardrail, draft and key is named; `not_found`.
 */
export async function tryGuardrail(
  actor: Actor,
  trial: GuardrailTrial,
  surroundings: GuardrailSurroundings,
  services: Uses<'accounts' | 'workspaces' | 'guardrails' | 'keys' | 'callers', 'clock'>,
): Promise<TriedGuardrail> {
  const { filters, scan } = await guardrailsOf(actor, trial, surroundings, services);
  const texts = [{ text: trial.text, isUser: trial.isUser }];
  const owner = actor.kind === 'key' ? actor.account.id : actor.kind;
  const { hits, redacted, unrecognised } = await surroundings.scanner.scan(texts, scan, { owner });
  const { block, entries } = judgeScan(filters, hits, { unrecognised });
  const [changed] = redacted;
  const acted = changed === undefined ? 'flag' : 'redact';
  return {
    verdict: block !== undefined ? 'block' : hits.length === 0 ? 'pass' : acted,
    text: block === undefined ? (changed?.[1] ?? trial.text) : undefined,
    message: block?.message,
    patterns: block?.patterns ?? [],
    entries,
  };
}

async function guardrailsOf(
  actor: Actor,
  { guardrailId, draft, keyHash }: GuardrailTrial,
  surroundings: GuardrailSurroundings,
  services: Uses<'accounts' | 'workspaces' | 'guardrails' | 'keys' | 'callers', 'clock'>,
) {
  const named = [guardrailId, draft, keyHash].filter((one) => one !== undefined);
  if (named.length !== 1) {
    throw malformed('body', 'name one of guardrail_id, draft and key_hash');
  }
  const { storage, clock } = services;
  if (keyHash !== undefined) {
    const { hash } = await findKey(actor, keyHash, services);
    const caller = await (await storage.callers.read([hash], clock.now())).get(hash);
    const found =
      caller && new GuardrailDirectory(() => surroundings.file).of(caller satisfies GuardrailSubject);
    return found ?? combineGuardrails([]);
  }
  const { id: accountId } = await accountOf(actor, undefined, services);
  const allowed = (await storage.guardrails.phrases(accountId)).map(({ phrase }) => phrase);
  const scope: GuardrailScope = 'account';
  const ofFile = surroundings.file.find(({ name }) => name === guardrailId);
  let tried: Pick<AppliedGuardrail, 'id' | 'name' | 'rules'>;
  if (draft !== undefined) {
    await checkPatterns(draft, surroundings.scanner, accountId);
    const rules = readWrittenRules(plainRules, draft, { ...surroundings, accountId });
    tried = { id: 'draft', name: 'draft', rules };
  } else if (ofFile !== undefined) tried = { id: ofFile.name, ...ofFile };
  else tried = await findGuardrail(actor, guardrailId ?? '', services);
  const { id, name, rules } = tried;
  return combineGuardrails([{ id, name, rules, scope }], allowed);
}
