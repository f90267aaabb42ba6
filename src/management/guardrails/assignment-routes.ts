import { apiBase } from '../../edge/route.ts';
import type { AssigneeKind } from '../../ports/guardrails.ts';
import { type Static, type TSchema, Type, text } from '../../util/json-schema.ts';
import { Deleted, limit, managed, offset, one } from '../parts.ts';
import { jsonRow, type Row } from '../row.ts';
import {
  allowPhrase,
  assignGuardrail,
  disallowPhrase,
  listAssignments,
  listPhrases,
  unassignGuardrail,
} from './assignments.ts';
import {
  AllowedPhraseAnswer,
  AllowedPhraseList,
  AllowPhrase,
  AssignedCount,
  KeyAssignmentList,
  KeysOfGuardrail,
  MemberAssignmentList,
  MembersOfGuardrail,
  showKeyAssignment,
  showMemberAssignment,
  showPhrase,
  UnassignedCount,
} from './show.ts';

const path = `${apiBase}/guardrails`;
const Page = Type.Object({ offset, limit });

type Found = Awaited<ReturnType<typeof listAssignments>>;

/** What differs between assignments to keys and to members. */
interface AssigneeRows<Body extends TSchema, List extends TSchema> {
  readonly kind: AssigneeKind;
  /** In paths and summaries, and in ids of operations. */
  readonly names: readonly [path: 'keys' | 'members', id: 'Keys' | 'Members'];
  readonly body: Body;
  readonly subjectsOf: (body: Static<Body>) => readonly string[];
  readonly list: List;
  readonly show: (found: Found) => Static<List>;
}

/** Who has which guardrail (docs/spec/guardrails.md#assignments): all, and those of one guardrail. */
function assignmentRows<Body extends TSchema, List extends TSchema>({
  kind,
  names: [plural, ids],
  body,
  subjectsOf,
  list,
  show,
}: AssigneeRows<Body, List>): readonly Row[] {
  const place = { ...one('guardrails'), path: `${path}/{id}/assignments/${plural}` } as const;
  const listing = { ...managed('guardrails'), method: 'GET', query: Page, answer: list } as const;
  const inputOf = (guardrailId: string, written: Static<Body>) => ({
    guardrailId,
    kind,
    subjects: subjectsOf(written),
  });
  return [
    jsonRow({
      ...listing,
      path: `${path}/assignments/${plural}`,
      id: `list${ids.slice(0, -1)}Assignments`,
      summary: `All ${plural} that have a guardrail`,
      handle: async ({ actor, query }, services) =>
        show(await listAssignments(actor, { ...query, kind }, services)),
    }),
    jsonRow({
      ...listing,
      ...place,
      id: `list${ids}OfGuardrail`,
      summary: `The ${plural} that have a guardrail`,
      handle: async ({ actor, params: { id = '' }, query }, services) =>
        show(await listAssignments(actor, { ...query, guardrailId: id, kind }, services)),
    }),
    jsonRow({
      ...place,
      method: 'POST',
      id: `assign${ids}`,
      summary: `Give a guardrail to ${plural}, in place of the ones they had`,
      body,
      answer: AssignedCount,
      handle: async ({ actor, params: { id = '' }, body: written }, services) => ({
        assigned_count: await assignGuardrail(actor, inputOf(id, written), services),
      }),
    }),
    jsonRow({
      ...place,
      method: 'POST',
      path: `${place.path}/remove`,
      id: `unassign${ids}`,
      summary: `Take a guardrail from ${plural}`,
      body,
      answer: UnassignedCount,
      handle: async ({ actor, params: { id = '' }, body: written }, services) => ({
        unassigned_count: await unassignGuardrail(actor, inputOf(id, written), services),
      }),
    }),
  ];
}

const keyRows = assignmentRows({
  kind: 'key',
  names: ['keys', 'Keys'],
  body: KeysOfGuardrail,
  subjectsOf: ({ key_hashes: hashes }) => hashes,
  list: KeyAssignmentList,
  show: ({ assignments, total }) => ({ data: assignments.map(showKeyAssignment), total_count: total }),
});

const memberRows = assignmentRows({
  kind: 'member',
  names: ['members', 'Members'],
  body: MembersOfGuardrail,
  subjectsOf: ({ member_user_ids: users }) => users,
  list: MemberAssignmentList,
  show: ({ account, assignments, total }) => ({
    data: assignments.map((each) => showMemberAssignment(each, account.id)),
    total_count: total,
  }),
});

/** Phrases that are no prompt injection (docs/spec/guardrails.md#prompt-injection). */
const allowlistRows: readonly Row[] = [
  jsonRow({
    ...managed('guardrails'),
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
    ...managed('guardrails'),
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
    ...one('guardrails'),
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
