import { type NanoUsd, usdToNumber } from '../../core/money.ts';
import type { FileGuardrail } from '../../guardrails/guardrail-directory.ts';
import type { AllowedPhrase, GuardrailAssignment, StoredGuardrail } from '../../ports/guardrails.ts';
import { writeGuardrailRules } from '../../schema/guardrail-rules.ts';
import { isoTime } from '../../util/iso-time.ts';

/** A guardrail as JSON (docs/spec/guardrails.md#object). */
export function showGuardrail({ rules, ...guardrail }: StoredGuardrail) {
  return {
    id: guardrail.id,
    name: guardrail.name,
    description: guardrail.description,
    workspace_id: guardrail.workspaceId,
    limit_usd: usdOf(rules.limit),
    reset_interval: rules.resetInterval,
    include_byok_in_budgets: rules.includeByokInBudgets,
    ...writeGuardrailRules(rules),
    created_at: isoTime(guardrail.createdAt),
    updated_at: guardrail.updatedAt === null ? null : isoTime(guardrail.updatedAt),
  };
}

/** A guardrail of the configuration file, which has its name for an id. */
export function showFileGuardrail({ name, rules }: FileGuardrail, startedAt: number) {
  const { id, ...shown } = showGuardrail({
    id: name,
    accountId: '',
    workspaceId: null,
    isDefault: false,
    name,
    description: null,
    rules,
    createdAt: startedAt,
    updatedAt: null,
  });
  return { id, ...shown, source: 'file' as const };
}

/** An assignment as JSON. */
export function showKeyAssignment(assignment: GuardrailAssignment) {
  return {
    id: assignment.id,
    key_hash: assignment.subject,
    key_name: assignment.keyName,
    key_label: assignment.keyLabel,
    guardrail_id: assignment.guardrailId,
    assigned_by: assignment.assignedBy,
    created_at: isoTime(assignment.createdAt),
  };
}

/** An assignment to a member as JSON. */
export function showMemberAssignment(assignment: GuardrailAssignment, organizationId: string) {
  return {
    id: assignment.id,
    user_id: assignment.subject,
    organization_id: organizationId,
    guardrail_id: assignment.guardrailId,
    assigned_by: assignment.assignedBy,
    created_at: isoTime(assignment.createdAt),
  };
}

/** A phrase of the allowlist as JSON. */
export function showPhrase({ id, phrase, createdAt, createdBy }: AllowedPhrase) {
  return { id, phrase, created_at: isoTime(createdAt), created_by: createdBy };
}

function usdOf(amount: NanoUsd | null): number | null {
  return amount === null ? null : usdToNumber(amount);
}
