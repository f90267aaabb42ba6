import type { AppliedGuardrail, GuardrailScope } from '../../core/guardrail.ts';
import { plainRules } from '../../core/guardrail.ts';
import type { PipelineEntry } from '../../core/route-report.ts';
import {
  combineGuardrails,
  GuardrailDirectory,
  type GuardrailSubject,
} from '../../guardrails/guardrail-directory.ts';
import { judgeScan } from '../../guardrails/judge-scan.ts';
import { malformed } from '../../schema/fault.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor } from '../actor.ts';
import { findKey } from '../keys/find-key.ts';
import type { Uses } from '../services.ts';
import { findGuardrail } from './find-guardrail.ts';
import { checkPatterns, readWrittenRules, type WrittenGuardrail } from './read-written-rules.ts';
import type { GuardrailSurroundings } from './save-guardrail.ts';

/** A text, and by which guardrails it is tried: one that is stored, one that is not, or all that apply to a key. */
export interface GuardrailTrial {
  readonly text: string;
  readonly guardrailId?: string | undefined;
  readonly draft?: WrittenGuardrail | undefined;
  readonly keyHash?: string | undefined;
  /** Whether the text counts as the user's. */
  readonly isUser: boolean;
}

/** What guardrails would make of a text. */
export interface TriedGuardrail {
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
