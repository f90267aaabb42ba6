import { createHash } from 'node:crypto';
import { type NanoUsd, usdToNumber } from '../../core/money.ts';
import type { FileGuardrail } from '../../guardrails/guardrail-directory.ts';
import type { AllowedPhrase, GuardrailAssignment, StoredGuardrail } from '../../ports/guardrails.ts';
import { GuardrailSchema } from '../../schema/guardrail-body.ts';
import { writeGuardrailRules } from '../../schema/guardrail-rules.ts';
import { isoTime } from '../../util/iso-time.ts';
import { integer, list, named, orNull, Type, text } from '../../util/json-schema.ts';
import { answerOf, closed, pageOf } from '../parts.ts';

export { CreateGuardrail, GuardrailDraft, UpdateGuardrail } from '../../schema/guardrail-body.ts';

/** A page of guardrails. */
export const GuardrailList = pageOf('GuardrailList', GuardrailSchema);

/** One guardrail. */
export const GuardrailAnswer = answerOf('GuardrailAnswer', GuardrailSchema);

/** Keys that a guardrail is given to, or taken from. */
export const KeysOfGuardrail = named(
  'KeysOfGuardrail',
  Type.Object({ key_hashes: list(text({ minLength: 1 }), { minItems: 1, maxItems: 1_000 }) }, closed),
);

/** Members that a guardrail is given to, or taken from. */
export const MembersOfGuardrail = named(
  'MembersOfGuardrail',
  Type.Object({ member_user_ids: list(text({ minLength: 1 }), { minItems: 1, maxItems: 1_000 }) }, closed),
);

/** How many keys or members have the guardrail now. */
export const AssignedCount = named('AssignedCount', Type.Object({ assigned_count: integer() }));

/** From how many keys or members it was taken. */
export const UnassignedCount = named('UnassignedCount', Type.Object({ unassigned_count: integer() }));

const assignment = {
  id: text(),
  guardrail_id: text(),
  assigned_by: orNull(text()),
  created_at: text(),
};

/** A page of assignments to keys. */
export const KeyAssignmentList = pageOf(
  'KeyAssignmentList',
  named(
    'KeyAssignment',
    Type.Object({ ...assignment, key_hash: text(), key_name: text(), key_label: text() }),
  ),
);

/** A page of assignments to members. */
export const MemberAssignmentList = pageOf(
  'MemberAssignmentList',
  named('MemberAssignment', Type.Object({ ...assignment, user_id: text(), organization_id: text() })),
);

const AllowedPhraseSchema = named(
  'AllowedPhrase',
  Type.Object({ id: text(), phrase: text(), created_at: text(), created_by: orNull(text()) }),
);

/** The phrases of an account that are no prompt injection. */
export const AllowedPhraseList = pageOf('AllowedPhraseList', AllowedPhraseSchema);

/** One of them. */
export const AllowedPhraseAnswer = answerOf('AllowedPhraseAnswer', AllowedPhraseSchema);

/** The body of `POST /guardrails/allowlist`. */
export const AllowPhrase = named(
  'AllowPhrase',
  Type.Object({ phrase: text({ minLength: 1, maxLength: 1_000 }) }, closed),
);

const DetectionSchema = {
  guardrail_id: text({ minLength: 1, maxLength: 200, description: 'As the pipeline entry has it' }),
  filter: text({
    minLength: 1,
    maxLength: 200,
    description: 'A name of matched_entity_types, or the slug of a built-in filter',
  }),
};

/** The body of `POST /guardrails/false-positives`. */
export const ReportFalsePositive = named('ReportFalsePositive', Type.Object(DetectionSchema, closed));

/** What was counted. */
export const FalsePositiveReport = answerOf(
  'FalsePositiveReport',
  named('ReportedDetection', Type.Object({ guardrail_id: text(), filter: text() })),
);

/** How often filters were reported. */
export const FalsePositiveList = pageOf(
  'FalsePositiveList',
  named(
    'FalsePositives',
    Type.Object({ guardrail_id: text(), filter: text(), reports: integer(), last_reported_on: text() }),
  ),
);

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

/** The id that a workspace's default guardrail has or will have: a UUID of version 8 made from the workspace's own. */
export function defaultGuardrailId(workspaceId: string): string {
  return derivedId(`default guardrail of ${workspaceId}`);
}

/** A UUID of version 8 made from a text. */
export function derivedId(text: string): string {
  const digits = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(digits.charAt(16), 16) & 3) | 8).toString(16);
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`];
  return [...parts, `${variant}${digits.slice(17, 20)}`, digits.slice(20, 32)].join('-');
}

/** The name of a workspace's default guardrail, which nobody can change. */
export function defaultGuardrailName(workspaceId: string): string {
  return `Workspace ${workspaceId} Default`;
}
