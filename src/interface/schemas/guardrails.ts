import { GuardrailSchema } from '../../schema/guardrail-body.ts';
import { integer, list, named, orNull, Type, text } from '../../util/json-schema.ts';
import { answerOf, closed, pageOf } from './parts.ts';

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
