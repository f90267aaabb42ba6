import type { JsonObject } from '../util/json.ts';
import { type Column, formatPairs, formatTable } from './format-table.ts';

/** What the server answers about a route, as far as people are shown it. */
export interface ShownPlan {
  readonly models: readonly { readonly id: string; readonly requested: string }[];
  readonly routers?: readonly {
    readonly slug: string;
    readonly summary: string;
    readonly data: JsonObject;
  }[];
  readonly prompt_tokens: number;
  readonly plan: readonly ShownTarget[];
  readonly excluded: readonly {
    readonly provider: string;
    readonly tag: string;
    readonly model: string;
    readonly reason: string;
  }[];
  readonly cost_ceiling: number | null;
  readonly refusal: ShownError | null;
  readonly verdict: { readonly admitted: boolean; readonly error: ShownError | null };
}

interface ShownTarget {
  readonly position: number;
  readonly provider: string;
  readonly tag: string;
  readonly model: string;
  readonly credential: string;
  readonly pricing: { readonly prompt: string; readonly completion: string } | null;
  readonly list_cost_ceiling: number | null;
  readonly because: string;
  readonly alterations: readonly { readonly field: string; readonly action: string; readonly how: string }[];
}

interface ShownError {
  readonly code: number;
  readonly message: string;
}

const planColumns: readonly Column[] = [
  { heading: '#', align: 'right' },
  { heading: 'MODEL' },
  { heading: 'PROVIDER' },
  { heading: 'ENDPOINT' },
  { heading: 'CREDENTIAL' },
  { heading: 'INPUT $/M', align: 'right' },
  { heading: 'OUTPUT $/M', align: 'right' },
  { heading: 'AT MOST $', align: 'right' },
  { heading: 'ALTERED', align: 'right' },
  { heading: 'HERE BECAUSE OF' },
];

const exclusionColumns: readonly Column[] = [
  { heading: 'NOT TRIED' },
  { heading: 'PROVIDER' },
  { heading: 'ENDPOINT' },
  { heading: 'BECAUSE OF' },
];

/** A route explanation in words: the plan, what is altered, what is not tried and why, and the verdict. */
export function planText(shown: ShownPlan): string {
  const { plan, excluded } = shown;
  const alterations = plan.flatMap(({ position, alterations: list }) =>
    list.map(({ field, action, how }) => `#${position} ${field}: ${action} (${how})\n`),
  );
  const parts = [
    plan.length === 0 ? 'No endpoint would be tried.\n' : formatTable(planColumns, plan.map(planRow)),
    alterations.join(''),
    excluded.length === 0 ? '' : formatTable(exclusionColumns, excluded.map(exclusionRow)),
    formatPairs(summaryOf(shown)),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function planRow(target: ShownTarget): readonly string[] {
  return [
    String(target.position),
    target.model,
    target.provider,
    target.tag,
    target.credential,
    perMillion(target.pricing?.prompt),
    perMillion(target.pricing?.completion),
    target.list_cost_ceiling === null ? '-' : decimal(target.list_cost_ceiling),
    target.alterations.length === 0 ? '-' : String(target.alterations.length),
    target.because,
  ];
}

function exclusionRow({ model, provider, tag, reason }: ShownPlan['excluded'][number]): readonly string[] {
  return [model, provider, tag, reason];
}

function summaryOf(shown: ShownPlan): readonly (readonly [string, string])[] {
  const { verdict, refusal, cost_ceiling: ceiling } = shown;
  const error = refusal ?? verdict.error;
  return [
    ...(shown.routers ?? []).map(({ slug, summary }) => [slug, summary] as const),
    ['Prompt', `about ${shown.prompt_tokens} tokens`],
    ['At most', ceiling === null ? 'unknown' : `${decimal(ceiling)} USD`],
    ['Verdict', error === null ? 'would be sent' : `refused with ${error.code}: ${error.message}`],
  ];
}

function perMillion(price: string | undefined): string {
  return price === undefined ? '-' : decimal(Number((Number(price) * 1e6).toPrecision(12)));
}

/** Without an exponent. */
function decimal(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 9, useGrouping: false });
}
