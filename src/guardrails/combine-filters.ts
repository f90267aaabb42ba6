import { builtinNames } from '../core/builtin-names.ts';
import type { AppliedGuardrail, BuiltinFilter, CustomFilter, FilterAction } from '../core/guardrail.ts';
import type { ScanFilter } from './scan-rules.ts';

/** A guardrail that has a filter, and what it alone would do. */
export interface FilterOwner {
  readonly guardrail: AppliedGuardrail;
  readonly action: FilterAction;
}

/** A filter of one guardrail or several. */
export interface CombinedFilter {
  readonly scan: ScanFilter;
  readonly owners: readonly FilterOwner[];
  /** What a message says was found. */
  readonly cause: string;
  /** What pipeline entries call it. */
  readonly entity: string;
}

const strictness: readonly FilterAction[] = ['flag', 'redact', 'block'];

/**
 * The filters of all guardrails that apply to a request, each once, with the strictest action of those that enforce it
 * (docs/spec/guardrails.md#combination). Card numbers come before phone numbers, and built-in filters before patterns.
 */
export function combineFilters(applied: readonly AppliedGuardrail[]): readonly CombinedFilter[] {
  const filters = new Map<string, CombinedFilter>();
  for (const guardrail of applied) {
    for (const builtin of guardrail.rules.contentFilterBuiltins ?? []) {
      add(filters, `builtin ${builtin.slug}`, ofBuiltin(builtin), { guardrail, action: builtin.action });
    }
    for (const custom of guardrail.rules.contentFilters ?? []) {
      add(filters, `pattern ${custom.pattern}`, ofPattern(custom), { guardrail, action: custom.action });
    }
  }
  return [...filters.values()].sort((one, other) => rankOf(one) - rankOf(other));
}

type NewFilter = Omit<CombinedFilter, 'owners'>;

function add(filters: Map<string, CombinedFilter>, key: string, filter: NewFilter, owner: FilterOwner): void {
  const known = filters.get(key);
  const scan = withAction(known?.scan ?? filter.scan, owner);
  const what =
    scan.what.kind === 'injection' && filter.scan.what.kind === 'injection'
      ? widest(scan.what, filter.scan.what)
      : scan.what;
  filters.set(key, {
    ...(known ?? filter),
    scan: { ...scan, what },
    owners: [...(known?.owners ?? []), owner],
  });
}

type InjectionFilter = Extract<ScanFilter['what'], { kind: 'injection' }>;

function widest(one: InjectionFilter, other: InjectionFilter): InjectionFilter {
  return one.scope === 'all_messages' ? one : other;
}

function withAction(scan: ScanFilter, { guardrail, action }: FilterOwner): ScanFilter {
  if (guardrail.rules.mode === 'observe') return scan;
  const isStricter = scan.action === undefined || strictnessOf(action) > strictnessOf(scan.action);
  return isStricter ? { ...scan, action } : scan;
}

function ofBuiltin({ slug, scanScope }: BuiltinFilter): NewFilter {
  const { label, placeholder, entity } = builtinNames[slug];
  const what: ScanFilter['what'] =
    slug === 'regex-prompt-injection'
      ? { kind: 'injection', scope: scanScope ?? 'all_messages' }
      : { kind: 'builtin', slug };
  return { scan: { what, action: undefined, placeholder }, cause: label, entity };
}

function ofPattern({ pattern, label }: CustomFilter): NewFilter {
  const scan = { what: { kind: 'pattern', pattern }, action: undefined } as const;
  return {
    scan: { ...scan, placeholder: label ?? '[REDACTED]' },
    cause: label ?? '[BLOCKED]',
    entity: label ?? 'CUSTOM',
  };
}

/** How strict an action is: the higher, the stricter. */
export function strictnessOf(action: FilterAction): number {
  return strictness.indexOf(action);
}

function rankOf({ scan: { what } }: CombinedFilter): number {
  if (what.kind === 'builtin') return what.slug === 'credit-card' ? 0 : 1;
  return what.kind === 'injection' ? 2 : 3;
}
