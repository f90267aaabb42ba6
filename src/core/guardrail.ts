import type { NanoUsd } from './money.ts';

/** What a filter does with what it finds: report it, replace it, or refuse the request. */
export type FilterAction = 'flag' | 'redact' | 'block';

/** A filter of the owner's own: a pattern in the JavaScript flavour without look-around and back-references. */
export interface CustomFilter {
  readonly pattern: string;
  readonly action: FilterAction;
  /** Names the filter in messages and replaces what is redacted. */
  readonly label?: string;
}

/** The detectors that are built in. */
export const builtinSlugs = [
  'email',
  'phone',
  'ssn',
  'credit-card',
  'ip-address',
  'person-name',
  'address',
  'regex-prompt-injection',
] as const;

/** The name of a detector that is built in. */
export type BuiltinSlug = (typeof builtinSlugs)[number];

/** Which texts prompt-injection detection reads. */
export type ScanScope = 'user_only' | 'all_messages';

/** A detector that is turned on. */
export interface BuiltinFilter {
  readonly slug: BuiltinSlug;
  readonly action: FilterAction;
  /** Of prompt-injection detection; unset means all messages. */
  readonly scanScope?: ScanScope;
}

/** What a guardrail demands (docs/spec/guardrails.md#object). Null means no restriction. */
export interface GuardrailRules {
  /** Observing reports what the guardrail would have done, and does nothing. */
  readonly mode: 'enforce' | 'observe';
  readonly limit: NanoUsd | null;
  /** Null beside a limit is a limit for all time. */
  readonly resetInterval: 'daily' | 'weekly' | 'monthly' | null;
  readonly includeByokInBudgets: boolean;
  /** Ids of models, or slugs that stand for one. */
  readonly allowedModels: readonly string[] | null;
  readonly ignoredModels: readonly string[] | null;
  readonly allowedProviders: readonly string[] | null;
  readonly ignoredProviders: readonly string[] | null;
  /** Whether nothing may be retained, by group of models: an author without hyphens, or `other`. */
  readonly zeroRetention: Readonly<Record<string, boolean | null>>;
  readonly enableFreeModelPublication: boolean | null;
  readonly enableFreeModelTraining: boolean | null;
  readonly enablePaidModelTraining: boolean | null;
  readonly contentFilters: readonly CustomFilter[] | null;
  readonly contentFilterBuiltins: readonly BuiltinFilter[] | null;
}

/** To whose requests a guardrail applies, and why: its assignment. */
export type GuardrailScope = 'account' | 'workspace' | 'member' | 'api-key';

/** A guardrail that applies to a request. */
export interface AppliedGuardrail {
  readonly id: string;
  readonly name: string;
  readonly scope: GuardrailScope;
  readonly rules: GuardrailRules;
}

/** A guardrail that demands nothing. */
export const plainRules: GuardrailRules = {
  mode: 'enforce',
  limit: null,
  resetInterval: null,
  includeByokInBudgets: false,
  allowedModels: null,
  ignoredModels: null,
  allowedProviders: null,
  ignoredProviders: null,
  zeroRetention: {},
  enableFreeModelPublication: null,
  enableFreeModelTraining: null,
  enablePaidModelTraining: null,
  contentFilters: null,
  contentFilterBuiltins: null,
};
