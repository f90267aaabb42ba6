import { type GuardrailRules, plainRules } from '../../core/guardrail.ts';
import { nanoFromInteger } from '../../core/money.ts';
import type { StoredGuardrail } from '../../ports/guardrails.ts';
import { isSet, numberOrNull } from './values.ts';

/** A row of `guardrails`. */
export interface GuardrailRow {
  readonly id: string;
  readonly account_id: string;
  readonly workspace_id: string | null;
  readonly is_default: bigint;
  readonly name: string;
  readonly description: string | null;
  readonly rules: string;
  readonly created_at: bigint;
  readonly updated_at: bigint | null;
}

type StoredRules = Omit<GuardrailRules, 'limit'> & { readonly limit: string | null };

/** Rules as JSON; money is decimal text. */
export function rulesText(rules: GuardrailRules): string {
  return JSON.stringify({ ...rules, limit: rules.limit?.toString() ?? null } satisfies StoredRules);
}

/** The rules of a text; those of later versions that it does not know are plain. */
export function rulesFromText(text: string): GuardrailRules {
  const { limit, ...stored } = JSON.parse(text) as Partial<StoredRules>;
  return {
    ...plainRules,
    ...stored,
    limit: limit === undefined || limit === null ? null : nanoFromInteger(BigInt(limit)),
  };
}

/** The guardrail that a row holds. */
export function guardrailFromRow(row: GuardrailRow): StoredGuardrail {
  return {
    id: row.id,
    accountId: row.account_id,
    workspaceId: row.workspace_id,
    isDefault: isSet(row.is_default),
    name: row.name,
    description: row.description,
    rules: rulesFromText(row.rules),
    createdAt: Number(row.created_at),
    updatedAt: numberOrNull(row.updated_at),
  };
}
