import type { Operations } from '../../../clients/headgate-api.ts';
import type { Dimension } from '../../state/usage.ts';

type ListQuery = NonNullable<Operations['listGenerations']['query']>;

/** One thing that requests can be filtered by. */
export interface FilterField {
  readonly name: keyof ListQuery & string;
  readonly label: string;
  /** Where suggestions come from. */
  readonly dimension?: Dimension;
  /** A list of the gateway that has them. */
  readonly list?: 'workspaces' | 'routers' | 'presets';
  /** The values there are. */
  readonly options?: readonly (readonly [value: string, label: string])[];
  readonly type?: 'number' | 'usd' | 'status';
  /** Only management keys see others. */
  readonly isForManagers?: boolean;
  readonly hint?: string;
}

const yes = [
  ['true', 'yes'],
  ['false', 'no'],
] as const;

/** In the order in which they are offered. */
export const filterFields: readonly FilterField[] = [
  {
    name: 'outcome',
    label: 'Outcome',
    options: [
      ['ok', 'ok'],
      ['failed', 'failed'],
      ['cancelled', 'cancelled'],
      ['refused', 'refused before any endpoint was asked'],
    ],
  },
  {
    name: 'status',
    label: 'Status',
    type: 'status',
    hint: 'the HTTP status of the last attempt, such as 429',
  },
  { name: 'model', label: 'Model', dimension: 'model', hint: 'acme/* matches all of a maker' },
  {
    name: 'requested_model',
    label: 'Requested model',
    dimension: 'model',
    hint: 'as the request named it; acme/* matches all of a maker',
  },
  { name: 'router', label: 'Router', list: 'routers' },
  { name: 'provider', label: 'Provider', dimension: 'provider' },
  { name: 'endpoint', label: 'Endpoint', dimension: 'endpoint' },
  { name: 'key', label: 'Key', dimension: 'key', isForManagers: true },
  { name: 'workspace', label: 'Workspace', list: 'workspaces', isForManagers: true },
  { name: 'error', label: 'Error', dimension: 'error' },
  { name: 'min_cost_nano', label: 'Cost at least', type: 'usd', hint: 'in USD' },
  { name: 'min_total_ms', label: 'Total time at least', type: 'number', hint: 'in milliseconds' },
  {
    name: 'min_first_token_ms',
    label: 'First token after at least',
    type: 'number',
    hint: 'in milliseconds',
  },
  { name: 'min_tokens', label: 'Tokens at least', type: 'number' },
  { name: 'fallback', label: 'Fell back', options: yes },
  { name: 'streamed', label: 'Streamed', options: yes },
  { name: 'own_credential', label: 'Own credential', options: yes },
  { name: 'unpriced', label: 'Without a price', options: yes },
  { name: 'estimated', label: 'Usage estimated', options: yes },
  { name: 'session', label: 'Session' },
  { name: 'request', label: 'Request' },
  { name: 'user', label: 'End user' },
  { name: 'app', label: 'App' },
  { name: 'preset', label: 'Preset', list: 'presets' },
];

/** Filters that sums know: with others the volume is of all requests. */
export const summedFilters: readonly string[] = [
  'outcome',
  'model',
  'provider',
  'endpoint',
  'key',
  'workspace',
  'error',
];

/** The filters of an address, by name. */
export function readFilters(params: URLSearchParams): Readonly<Record<string, string>> {
  const found = filterFields.flatMap(({ name }) => {
    const value = params.get(name);
    return value === null || value === '' ? [] : [[name, value] as const];
  });
  return Object.fromEntries(found);
}

/** What a person typed, as the interface takes it; undefined where it is none. */
export function readFilterValue({ type }: FilterField, text: string): string | undefined {
  const trimmed = text.trim();
  if (type === undefined) return trimmed === '' ? undefined : trimmed;
  if (type === 'status') return /^[1-5]\d\d$/.test(trimmed) ? trimmed : undefined;
  const value = Number(trimmed.replace(/^\$/, ''));
  if (trimmed === '' || !Number.isFinite(value) || value < 0) return undefined;
  return String(type === 'usd' ? Math.round(value * 1e9) : Math.round(value));
}
