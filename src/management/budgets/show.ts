import { budgetScopes } from '../../ports/budgets.ts';
import { spendLimit } from '../../schema/spend-limit.ts';
import { choice, flag, integer, list, named, number, orNull, Type, text } from '../../util/json-schema.ts';
import { closed, nano, pageOf } from '../parts.ts';

const BudgetSchema = named(
  'WorkspaceBudget',
  Type.Object({
    id: text(),
    workspace_id: text(),
    limit_usd: number(),
    reset_interval: orNull(choice('daily', 'weekly', 'monthly')),
    created_at: text(),
    updated_at: text(),
  }),
);

/** The budgets of a workspace. */
export const BudgetList = named(
  'WorkspaceBudgetList',
  Type.Object({ data: list(BudgetSchema), include_byok_in_budgets: flag() }),
);

/** A limit of spending and how much of it is used. */
export const SpendingLimit = named(
  'SpendingLimit',
  Type.Object({
    scope: choice('key', ...budgetScopes),
    subject: text({ description: 'The hash of a key, or the id of a workspace or a member' }),
    name: text(),
    reset_interval: orNull(choice('daily', 'weekly', 'monthly')),
    limit_nano: nano,
    spent_nano: nano,
    include_byok: flag({ description: 'Whether what own credentials serve counts, at its list price' }),
    resets_at: orNull(text()),
  }),
);

/** How much of each limit is used. */
export const LimitList = named(
  'LimitList',
  Type.Object({
    data: list(SpendingLimit),
  }),
);

/** One of them. */
export const BudgetAnswer = named(
  'WorkspaceBudgetAnswer',
  Type.Object({ data: BudgetSchema, include_byok_in_budgets: flag() }),
);

/** The body of `PUT /workspaces/{id}/budgets/{interval}`. */
export const PutBudget = named(
  'PutWorkspaceBudget',
  Type.Object({ limit_usd: spendLimit, include_byok_in_budgets: Type.Optional(flag()) }, closed),
);

/** The members of an organization. */
export const MemberList = pageOf(
  'MemberList',
  named(
    'Member',
    Type.Object({
      id: text(),
      email: text(),
      first_name: orNull(text()),
      last_name: orNull(text()),
      role: choice('org:admin', 'org:member'),
    }),
  ),
);

const WorkspaceMemberSchema = named(
  'WorkspaceMember',
  Type.Object({
    id: text(),
    workspace_id: text(),
    user_id: text(),
    role: choice('admin', 'member'),
    created_at: text(),
  }),
);

/** The members of a workspace. */
export const WorkspaceMemberList = pageOf('WorkspaceMemberList', WorkspaceMemberSchema);

/** Members of the organization by user id. */
export const MemberIds = named(
  'MemberIds',
  Type.Object({ user_ids: list(text({ minLength: 1 }), { minItems: 1, maxItems: 100 }) }, closed),
);

/** The members who are new in a workspace. */
export const AddedMembers = named(
  'AddedMembers',
  Type.Object({ data: list(WorkspaceMemberSchema), added_count: integer() }),
);

/** How many members left a workspace. */
export const RemovedMembers = named('RemovedMembers', Type.Object({ removed_count: integer() }));
