import type { Catalogue } from '../../core/catalogue.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { GuardrailRules } from '../../core/guardrail.ts';
import type { NanoUsd } from '../../core/money.ts';
import { resolveSlug } from '../../core/resolve-slug.ts';
import type { TextScanner } from '../../guardrails/content-scanner.ts';
import { syntaxProblemOf } from '../../guardrails/custom-pattern.ts';
import { malformed } from '../../schema/fault.ts';
import {
  changeGuardrailRules,
  spreadZeroRetention,
  type WrittenRules,
} from '../../schema/guardrail-rules.ts';
import { checkProviders } from '../accounts/accounts.ts';

/** The rules of a guardrail as its owner writes them: what is absent stays, null clears. */
export interface WrittenGuardrail extends WrittenRules {
  readonly limit_usd?: NanoUsd | null | undefined;
  readonly reset_interval?: GuardrailRules['resetInterval'] | undefined;
  readonly include_byok_in_budgets?: boolean | undefined;
  /** Deprecated: for all groups of models that are not written by themselves. */
  readonly enforce_zdr?: boolean | null | undefined;
}

/** What written rules are checked against. */
export interface RuleContext {
  readonly catalogue: Catalogue;
  readonly accountId: string;
  /** Whether names and addresses can be recognised. */
  readonly hasAnalyzer: boolean;
}

/**
 * Rules after a change.
 * @throws HeadgateError `invalid_request` for patterns that are refused, and for models, providers and detectors that there are
 *   not.
 */
export function readWrittenRules(
  current: GuardrailRules,
  { limit_usd: limit, reset_interval: interval, enforce_zdr: forAll, ...given }: WrittenGuardrail,
  context: RuleContext,
): GuardrailRules {
  const named = {
    ...given,
    allowed_models: canonicalSlugs(given.allowed_models, 'allowed_models', context),
    ignored_models: canonicalSlugs(given.ignored_models, 'ignored_models', context),
  };
  checkListedProviders(given, context);
  checkFilters(given, context);
  const written = forAll === undefined ? named : spreadZeroRetention(named, forAll);
  const rules = changeGuardrailRules(current, written);
  return {
    ...rules,
    limit: limit === undefined ? rules.limit : limit,
    resetInterval: interval === undefined ? rules.resetInterval : interval,
    includeByokInBudgets: given.include_byok_in_budgets ?? rules.includeByokInBudgets,
  };
}

function canonicalSlugs(
  slugs: readonly string[] | null | undefined,
  path: string,
  { catalogue, accountId }: RuleContext,
): readonly string[] | null | undefined {
  return (
    slugs?.map((slug, index) => {
      const found = resolveSlug(slug, catalogue, accountId);
      if (found.outcome === 'model' || found.outcome === 'retired') return found.model.canonicalSlug;
      throw malformed(`${path}[${index}]`, 'is no model; GET /models lists them');
    }) ?? slugs
  );
}

function checkListedProviders(written: WrittenRules, { catalogue }: RuleContext): void {
  for (const path of ['allowed_providers', 'ignored_providers'] as const) {
    for (const [index, slug] of (written[path] ?? []).entries()) {
      try {
        checkProviders([slug.toLowerCase()], catalogue.providers);
      } catch {
        throw malformed(`${path}[${index}]`, 'is no provider; GET /providers lists them');
      }
    }
  }
}

/**
 * Compiles the patterns that are written, away from this process.
 * @throws HeadgateError `invalid_request` for the first one that is no filter or makes the guardrail too large.
 */
export async function checkPatterns(
  { content_filters: filters }: WrittenRules,
  scanner: TextScanner,
  owner: string,
): Promise<void> {
  const patterns = filters?.map(({ pattern }) => pattern) ?? [];
  if (patterns.length === 0) return;
  for (const [index, pattern] of patterns.entries()) {
    const problem = syntaxProblemOf(pattern);
    if (problem !== undefined) throw badPattern(index, problem);
  }
  const found = await scanner.checkPatterns(patterns, { owner });
  if (found !== undefined) throw badPattern(found.index, found.problem);
}

function badPattern(index: number, problem: string): HeadgateError {
  return new HeadgateError('invalid_request', `content_filters[${index}].pattern: ${problem}`, {
    metadata: { reason: 'invalid_regex_pattern' },
  });
}

function checkFilters(written: WrittenRules, { hasAnalyzer }: RuleContext): void {
  for (const [index, { pattern }] of (written.content_filters ?? []).entries()) {
    const problem = syntaxProblemOf(pattern);
    if (problem !== undefined) throw badPattern(index, problem);
  }
  for (const [index, { slug }] of (written.content_filter_builtins ?? []).entries()) {
    if (hasAnalyzer || (slug !== 'person-name' && slug !== 'address')) continue;
    throw malformed(
      `content_filter_builtins[${index}].slug`,
      `"${slug}" needs guardrails.entity_analyzer in the configuration of the server`,
    );
  }
}
