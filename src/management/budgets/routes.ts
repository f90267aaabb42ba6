import { HeadgateError } from '../../core/errors.ts';
import { apiBase } from '../../edge/route.ts';
import { Type } from '../../util/json-schema.ts';
import {
  addWorkspaceMembers,
  listMembers,
  listWorkspaceMembers,
  removeWorkspaceMembers,
  showMember,
  showWorkspaceMember,
} from '../members/members.ts';
import { Deleted, limit, managed, offset, one } from '../parts.ts';
import { jsonRow, type Row } from '../row.ts';
import {
  deleteBudget,
  nearLimits,
  readBudgets,
  readInterval,
  setBudget,
  showBudget,
  showNearLimit,
} from './budgets.ts';
import {
  AddedMembers,
  BudgetAnswer,
  BudgetList,
  LimitList,
  MemberIds,
  MemberList,
  PutBudget,
  RemovedMembers,
  WorkspaceMemberList,
} from './show.ts';

const workspace = `${apiBase}/workspaces/{id}`;
const oneBudget = { ...one('workspace'), path: `${workspace}/budgets/{interval}` } as const;
const Page = Type.Object({ offset, limit });

/** Budgets of workspaces (docs/spec/guardrails.md#workspace-budgets). */
export const budgetRows: readonly Row[] = [
  jsonRow({
    ...managed('billing'),
    method: 'GET',
    path: `${apiBase}/budgets`,
    id: 'listLimits',
    summary: 'Limits of keys, workspaces and guardrails with what is used of them, the worst first',
    answer: LimitList,
    handle: async ({ actor }, services) => ({
      data: (await nearLimits(actor, services)).map(showNearLimit),
    }),
  }),
  jsonRow({
    ...one('workspace'),
    method: 'GET',
    path: `${workspace}/budgets`,
    id: 'listBudgets',
    summary: 'The budgets of a workspace',
    answer: BudgetList,
    handle: async ({ actor, params: { id = '' } }, services) => {
      const { budgets, includeByok } = await readBudgets(actor, id, services);
      return { data: budgets.map(showBudget), include_byok_in_budgets: includeByok };
    },
  }),
  jsonRow({
    ...oneBudget,
    method: 'GET',
    id: 'getBudget',
    summary: 'One budget of a workspace',
    answer: BudgetAnswer,
    handle: async ({ actor, params: { id = '', interval = '' } }, services) => {
      const wanted = readInterval(interval);
      const { budgets, includeByok } = await readBudgets(actor, id, services);
      const found = budgets.find((budget) => budget.interval === wanted);
      if (found === undefined) {
        throw new HeadgateError('not_found', `The workspace has no ${wanted} budget.`);
      }
      return { data: showBudget(found), include_byok_in_budgets: includeByok };
    },
  }),
  jsonRow({
    ...oneBudget,
    method: 'PUT',
    id: 'putBudget',
    summary: 'Set one budget of a workspace',
    body: PutBudget,
    answer: BudgetAnswer,
    handle: async ({ actor, params: { id = '', interval = '' }, body }, services) => {
      const { limit_usd: most, include_byok_in_budgets: includeByok } = body;
      const input = { workspace: id, interval, limit: most, includeByok };
      const budget = await setBudget(actor, input, services);
      const stored = await readBudgets(actor, id, services);
      return { data: showBudget(budget), include_byok_in_budgets: stored.includeByok };
    },
  }),
  jsonRow({
    ...oneBudget,
    method: 'DELETE',
    id: 'deleteBudget',
    summary: 'Delete one budget of a workspace, if there is one',
    answer: Deleted,
    handle: async ({ actor, params: { id = '', interval = '' } }, services) => {
      await deleteBudget(actor, { workspace: id, interval }, services);
      return { deleted: true };
    },
  }),
];

/** Members of organizations and of workspaces (docs/spec/accounts.md#members). */
export const memberRows: readonly Row[] = [
  jsonRow({
    ...one('members'),
    method: 'GET',
    path: `${apiBase}/organization/members`,
    id: 'listMembers',
    summary: 'The members of the organization',
    query: Page,
    answer: MemberList,
    handle: async ({ actor, query }, services) => {
      const { members, total } = await listMembers(actor, query, services);
      return { data: members.map(showMember), total_count: total };
    },
  }),
  jsonRow({
    ...one('workspace'),
    method: 'GET',
    path: `${workspace}/members`,
    id: 'listWorkspaceMembers',
    summary: 'The members of a workspace; of the default one all members of the organization',
    query: Page,
    answer: WorkspaceMemberList,
    handle: async ({ actor, params: { id = '' }, query }, services) => {
      const { members, total } = await listWorkspaceMembers(actor, { ...query, workspace: id }, services);
      return { data: members.map(showWorkspaceMember), total_count: total };
    },
  }),
  jsonRow({
    ...one('workspace'),
    method: 'POST',
    path: `${workspace}/members/add`,
    id: 'addWorkspaceMembers',
    summary: 'Add members of the organization to a workspace',
    body: MemberIds,
    answer: AddedMembers,
    handle: async ({ actor, params: { id = '' }, body }, services) => {
      const input = { workspace: id, userIds: body.user_ids };
      const added = await addWorkspaceMembers(actor, input, services);
      return { data: added.map(showWorkspaceMember), added_count: added.length };
    },
  }),
  jsonRow({
    ...managed('workspace'),
    method: 'POST',
    path: `${workspace}/members/remove`,
    failures: ['not_found'],
    id: 'removeWorkspaceMembers',
    summary: 'Take members out of a workspace',
    body: MemberIds,
    answer: RemovedMembers,
    handle: async ({ actor, params: { id = '' }, body }, services) => {
      const input = { workspace: id, userIds: body.user_ids };
      return { removed_count: await removeWorkspaceMembers(actor, input, services) };
    },
  }),
];
