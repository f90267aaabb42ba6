import type { AppliedGuardrail, FilterAction } from '../core/guardrail.ts';
import type { PipelineEntry } from '../core/route-report.ts';
import { type CombinedFilter, strictnessOf } from './combine-filters.ts';
import type { FilterHit, ScanResult } from './scan-rules.ts';

/** What guardrails make of a scan. */
export interface ScanVerdict {
  /** Why the request is refused; undefined when it may go on. */
  readonly block: ScanBlock | undefined;
  /** One for each guardrail that hit and each kind of detection; those that block come last. */
  readonly entries: readonly PipelineEntry[];
}

/** Why a request is refused. */
export interface ScanBlock {
  /** One line that names the causes. */
  readonly message: string;
  /** Of prompt injection: what was found, at most 20 pieces of 200 characters. */
  readonly patterns: readonly string[];
}

const mostPatterns = 20;
const actionNames: Readonly<Record<FilterAction, string>> = {
  flag: 'flagged',
  redact: 'redacted',
  block: 'blocked',
};

/** What else a decision rests on. */
export interface JudgeOptions {
  /** Filters that were to redact something that must stay as it is, which blocks too. */
  readonly unredactable?: ReadonlySet<number>;
  /** Why names and addresses were not recognised. */
  readonly unrecognised?: ScanResult['unrecognised'];
}

const none: ReadonlySet<number> = new Set();

interface FoundByGuardrail {
  readonly guardrail: AppliedGuardrail;
  readonly isInjection: boolean;
  action: FilterAction;
  readonly found: { readonly filter: CombinedFilter; readonly hit: FilterHit }[];
}

/**
 * Decides over all that was found at once: anything to block refuses the request (docs/spec/guardrails.md#decision).
 */
export function judgeScan(
  filters: readonly CombinedFilter[],
  hits: readonly FilterHit[],
  { unredactable = none, unrecognised }: JudgeOptions = {},
): ScanVerdict {
  const found = hits.flatMap((hit) => {
    const filter = filters[hit.filter];
    return filter === undefined ? [] : [{ filter, hit }];
  });
  const blocking = found.filter(
    ({ filter, hit }) => filter.scan.action === 'block' || unredactable.has(hit.filter),
  );
  return {
    block: blocking.length === 0 ? undefined : blockOf(blocking),
    entries: withFailures(byGuardrail(found), filters, unrecognised)
      .sort((one, other) => blockRank(one) - blockRank(other))
      .map((one) => entryOf(one, unrecognised)),
  };
}

type Found = FoundByGuardrail['found'];

function blockOf(blocking: Found): ScanBlock {
  const causes = [...new Set(blocking.map(({ filter }) => filter.cause))];
  const patterns = [...new Set(blocking.flatMap(({ hit }) => hit.snippets))];
  return {
    message: `The request was blocked by a guardrail: ${causes.join(', ')}.`,
    patterns: patterns.slice(0, mostPatterns),
  };
}

function byGuardrail(found: Found): FoundByGuardrail[] {
  const all = new Map<string, FoundByGuardrail>();
  for (const one of found) {
    const isInjection = one.filter.scan.what.kind === 'injection';
    for (const { guardrail, action } of one.filter.owners) {
      const key = `${guardrail.id} ${guardrail.scope} ${isInjection}`;
      const known = all.get(key) ?? { guardrail, isInjection, action, found: [] };
      if (strictnessOf(action) > strictnessOf(known.action)) known.action = action;
      known.found.push(one);
      all.set(key, known);
    }
  }
  return [...all.values()];
}

/** A guardrail that looks for names or addresses says so when that failed, though it found nothing. */
function withFailures(
  found: FoundByGuardrail[],
  filters: readonly CombinedFilter[],
  unrecognised: ScanResult['unrecognised'],
): FoundByGuardrail[] {
  if (unrecognised === undefined) return found;
  const owners = new Map(
    filters
      .filter((filter) => engineOf(filter) === 'presidio')
      .flatMap((filter) => filter.owners.map(({ guardrail }) => [guardrail.id, guardrail] as const)),
  );
  const missing = [...owners.values()].filter(
    ({ id }) => !found.some((one) => one.guardrail.id === id && !one.isInjection),
  );
  const silent = missing.map((guardrail) => ({
    guardrail,
    isInjection: false,
    action: 'flag' as const,
    found: [],
  }));
  return [...found, ...silent];
}

function looksForEntities({ rules }: AppliedGuardrail): boolean {
  return (
    rules.contentFilterBuiltins?.some(({ slug }) => slug === 'person-name' || slug === 'address') === true
  );
}

function blockRank({ guardrail, action }: FoundByGuardrail): number {
  return action === 'block' && guardrail.rules.mode === 'enforce' ? 1 : 0;
}

function entryOf(
  { guardrail, isInjection, action, found }: FoundByGuardrail,
  unrecognised: ScanResult['unrecognised'],
): PipelineEntry {
  const observed = guardrail.rules.mode === 'observe';
  const done = actionNames[action];
  const base = {
    type: 'guardrail',
    guardrailId: guardrail.id,
    guardrailScope: guardrail.scope,
    summary: `${guardrail.name}: ${observed ? 'would have ' : ''}${done}`,
  };
  const mode = observed ? { mode: 'observe' } : {};
  if (isInjection) {
    const patterns = [...new Set(found.flatMap(({ hit }) => hit.names))];
    return {
      ...base,
      name: 'regex_pi_detection',
      data: { action: done, detected: true, engines: ['regex'], patterns, ...mode },
    };
  }
  const types = [...new Set(found.map(({ filter }) => filter.entity))];
  const engines = [...new Set(found.map(({ filter }) => engineOf(filter)))];
  const failure =
    unrecognised !== undefined && looksForEntities(guardrail)
      ? { [unrecognised]: true, engines: [...new Set([...engines, 'presidio'])] }
      : { engines };
  return {
    ...base,
    ...(found.length === 0 && { summary: `${guardrail.name}: names and addresses were not recognised` }),
    name: 'content-filter',
    data: { action: done, flagged: found.length > 0, matched_entity_types: types, ...failure, ...mode },
  };
}

function engineOf({ scan: { what } }: CombinedFilter): string {
  const isEntity = what.kind === 'builtin' && (what.slug === 'person-name' || what.slug === 'address');
  return isEntity ? 'presidio' : 'regex';
}
