import type { AppliedGuardrail, GuardrailRules, GuardrailScope } from '../core/guardrail.ts';
import { type CombinedFilter, combineFilters } from './combine-filters.ts';
import { combineRestrictions, type Restrictions } from './combine-restrictions.ts';
import type { ScanRules } from './scan-rules.ts';

/** Whose requests guardrails are looked up for. */
export interface GuardrailSubject {
  readonly account: { readonly id: string };
  readonly key: { readonly hash: string; readonly workspaceId: string | null };
  /** Those that are stored and apply; undefined without any. */
  readonly guardrails?: readonly AppliedGuardrail[];
  /** Phrases of the account that are no prompt injection. */
  readonly allowedPhrases?: readonly string[];
}

/** A guardrail of the configuration file. */
export interface FileGuardrail {
  readonly name: string;
  readonly rules: GuardrailRules;
  readonly apply: {
    readonly all: boolean;
    /** Ids. */
    readonly workspaces: readonly string[];
    /** Hashes. */
    readonly keys: readonly string[];
  };
}

/** All that applies to a caller's requests, put together. */
export interface Guardrails {
  readonly applied: readonly AppliedGuardrail[];
  readonly filters: readonly CombinedFilter[];
  /** The same filters for a scan. */
  readonly scan: ScanRules;
  /** Undefined where models and providers are not restricted. */
  readonly restrictions: Restrictions | undefined;
}

/** What looks up the guardrails of a caller. */
export interface GuardrailSource {
  /** Undefined where none applies. */
  of(subject: GuardrailSubject): Guardrails | undefined;
}

interface Known {
  readonly file: readonly FileGuardrail[];
  readonly guardrails: Guardrails | undefined;
}

/**
 * Puts together the guardrails that apply to a caller: those of the configuration file and stored ones. What was put together
 * is kept as long as the caller's own object is.
 */
export class GuardrailDirectory implements GuardrailSource {
  readonly #file: () => readonly FileGuardrail[];
  readonly #known = new WeakMap<GuardrailSubject, Known>();

  /** @param file The guardrails of the configuration at this moment; the same list until it changes. */
  constructor(file: () => readonly FileGuardrail[]) {
    this.#file = file;
  }

  of(subject: GuardrailSubject): Guardrails | undefined {
    const file = this.#file();
    if (file.length === 0 && subject.guardrails === undefined) return undefined;
    const known = this.#known.get(subject);
    if (known?.file === file) return known.guardrails;
    const guardrails = putTogether(file, subject);
    this.#known.set(subject, { file, guardrails });
    return guardrails;
  }
}

function putTogether(file: readonly FileGuardrail[], subject: GuardrailSubject): Guardrails | undefined {
  const declared = file.flatMap(({ name, rules, apply }): AppliedGuardrail[] => {
    const scope = scopeOf(apply, subject);
    return scope === undefined ? [] : [{ id: name, name, scope, rules }];
  });
  const applied = [...declared, ...(subject.guardrails ?? [])];
  if (applied.length === 0) return undefined;
  return combineGuardrails(applied, subject.allowedPhrases);
}

/** What several guardrails demand together (docs/spec/guardrails.md#combination). */
export function combineGuardrails(
  applied: readonly AppliedGuardrail[],
  allowedPhrases: readonly string[] = [],
): Guardrails {
  const filters = combineFilters(applied);
  return {
    applied,
    filters,
    scan: { filters: filters.map(({ scan }) => scan), allowedPhrases },
    restrictions: combineRestrictions(applied),
  };
}

function scopeOf(apply: FileGuardrail['apply'], { key }: GuardrailSubject): GuardrailScope | undefined {
  if (apply.keys.includes(key.hash)) return 'api-key';
  if (key.workspaceId !== null && apply.workspaces.includes(key.workspaceId)) return 'workspace';
  return apply.all ? 'account' : undefined;
}
