import { apiBase } from '../../edge/paths.ts';
import { allowPhrase, disallowPhrase, listPhrases } from '../../operations/guardrails/allow-phrase.ts';
import {
  assignGuardrail,
  listAssignments,
  unassignGuardrail,
} from '../../operations/guardrails/assign-guardrail.ts';
import {
  showKeyAssignment,
  showMemberAssignment,
  showPhrase,
} from '../../operations/guardrails/show-guardrail.ts';
import { Type, text } from '../../util/json-schema.ts';
import { jsonRow, type Row } from '../row.ts';
import {
  AllowedPhraseAnswer,
  AllowedPhraseList,
  AllowPhrase,
  AssignedCount,
  KeyAssignmentList,
  KeysOfGuardrail,
  MemberAssignmentList,
  MembersOfGuardrail,
  UnassignedCount,
} from '../schemas/guardrails.ts';
import { Deleted } from '../schemas/parts.ts';
import { managed, one } from './management-parts.ts';
import { limit, offset } from './query-parts.ts';

const path = `${apiBase}/guardrails`;
const keysOf = { ...one, path: `${path}/{id}/assignments/keys` } as const;
const membersOf = { ...one, path: `${path}/{id}/assignments/members` } as const;
const Page = Type.Object({ offset, limit });

/** Which keys have which guardrail (docs/spec/guardrails.md#assignments). */
const keyRows: readonly Row[] = [
  jsonRow({
    ...managed,
    method: 'GET',
    path: `${path}/assignments/keys`,
    id: 'listKeyAssignments',
    summary: 'Every key that has a guardrail',
    query: Page,
    answer: KeyAssignmentList,
    handle: async ({ actor, query }, services) => {
      const { assignments, total } = await listAssignments(actor, { ...query, kind: 'key' }, services);
      return { data: assignments.map(showKeyAssignment), total_count: total };
    },
  }),
  jsonRow({
    ...keysOf,
    method: 'GET',
    id: 'listKeysOfGuardrail',
    summary: 'The keys that have a guardrail',
    query: Page,
    answer: KeyAssignmentList,
    handle: async ({ actor, params: { id = '' }, query }, services) => {
      const wanted = { ...query, guardrailId: id, kind: 'key' } as const;
      const { assignments, total } = await listAssignments(actor, wanted, services);
      return { data: assignments.map(showKeyAssignment), total_count: total };
    },
  }),
  jsonRow({
    ...keysOf,
    method: 'POST',
    id: 'assignKeys',
    summary: 'Give a guardrail to keys, in place of the ones they had',
    body: KeysOfGuardrail,
    answer: AssignedCount,
    handle: async ({ actor, params: { id = '' }, body }, services) => {
      const input = { guardrailId: id, kind: 'key', subjects: body.key_hashes } as const;
      return { assigned_count: await assignGuardrail(actor, input, services) };
    },
  }),
  jsonRow({
    ...one,
    method: 'POST',
    path: `${keysOf.path}/remove`,
    id: 'unassignKeys',
    summary: 'Take a guardrail from keys',
    body: KeysOfGuardrail,
    answer: UnassignedCount,
    handle: async ({ actor, params: { id = '' }, body }, services) => {
      const input = { guardrailId: id, kind: 'key', subjects: body.key_hashes } as const;
      return { unassigned_count: await unassignGuardrail(actor, input, services) };
    },
  }),
];

/** Which members have which guardrail. */
const memberRows: readonly Row[] = [
  jsonRow({
    ...managed,
    method: 'GET',
    path: `${path}/assignments/members`,
    id: 'listMemberAssignments',
    summary: 'Every member who has a guardrail',
    query: Page,
    answer: MemberAssignmentList,
    handle: async ({ actor, query }, services) => {
      const wanted = { ...query, kind: 'member' } as const;
      const { account, assignments, total } = await listAssignments(actor, wanted, services);
      return {
        data: assignments.map((assignment) => showMemberAssignment(assignment, account.id)),
        total_count: total,
      };
    },
  }),
  jsonRow({
    ...membersOf,
    method: 'GET',
    id: 'listMembersOfGuardrail',
    summary: 'The members who have a guardrail',
    query: Page,
    answer: MemberAssignmentList,
    handle: async ({ actor, params: { id = '' }, query }, services) => {
      const wanted = { ...query, guardrailId: id, kind: 'member' } as const;
      const { account, assignments, total } = await listAssignments(actor, wanted, services);
      return {
        data: assignments.map((assignment) => showMemberAssignment(assignment, account.id)),
        total_count: total,
      };
    },
  }),
  jsonRow({
    ...membersOf,
    method: 'POST',
    id: 'assignMembers',
    summary: 'Give a guardrail to members, in place of the ones they had',
    body: MembersOfGuardrail,
    answer: AssignedCount,
    handle: async ({ actor, params: { id = '' }, body }, services) => {
      const input = { guardrailId: id, kind: 'member', subjects: body.member_user_ids } as const;
      return { assigned_count: await assignGuardrail(actor, input, services) };
    },
  }),
  jsonRow({
    ...one,
    method: 'POST',
    path: `${membersOf.path}/remove`,
    id: 'unassignMembers',
    summary: 'Take a guardrail from members',
    body: MembersOfGuardrail,
    answer: UnassignedCount,
    handle: async ({ actor, params: { id = '' }, body }, services) => {
      const input = { guardrailId: id, kind: 'member', subjects: body.member_user_ids } as const;
      return { unassigned_count: await unassignGuardrail(actor, input, services) };
    },
  }),
];

/** Phrases that are no prompt injection (docs/spec/guardrails.md#prompt-injection). */
const allowlistRows: readonly Row[] = [
  jsonRow({
    ...managed,
    method: 'GET',
    path: `${path}/allowlist`,
    id: 'listAllowedPhrases',
    summary: 'The phrases of the account that are no prompt injection',
    answer: AllowedPhraseList,
    handle: async ({ actor }, services) => {
      const phrases = await listPhrases(actor, services);
      return { data: phrases.map(showPhrase), total_count: phrases.length };
    },
  }),
  jsonRow({
    ...managed,
    method: 'POST',
    path: `${path}/allowlist`,
    id: 'allowPhrase',
    summary: 'Add a phrase that is no prompt injection',
    body: AllowPhrase,
    status: 201,
    answer: AllowedPhraseAnswer,
    handle: async ({ actor, body }, services) => ({
      data: showPhrase(await allowPhrase(actor, body.phrase, services)),
    }),
  }),
  jsonRow({
    ...one,
    method: 'DELETE',
    path: `${path}/allowlist`,
    id: 'disallowPhrase',
    summary: 'Remove a phrase',
    query: Type.Object({ id: text({ minLength: 1 }) }),
    answer: Deleted,
    handle: async ({ actor, query }, services) => {
      await disallowPhrase(actor, query.id, services);
      return { deleted: true };
    },
  }),
];

/** Who has which guardrail, and what no guardrail takes for prompt injection. */
export const guardrailAssignmentRows: readonly Row[] = [...keyRows, ...memberRows, ...allowlistRows];
