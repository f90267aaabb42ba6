import type { AppliedGuardrail, GuardrailScope } from '../../core/guardrail.ts';
import { nanoFromInteger } from '../../core/money.ts';
import { type BudgetInterval, type BudgetLimit, budgetScopes } from '../../ports/budgets.ts';
import type { StoredCaller } from '../../ports/callers.ts';
import type { ApiKey } from '../../ports/keys.ts';
import { rulesFromText } from './guardrail-row.ts';
import { type SqlStatement, sql } from './statement.ts';

/** Something that is set for the requests of a key: a guardrail, a budget of its workspace, or a phrase of its account. */
export interface GuardingRow {
  readonly hash: string;
  readonly source: GuardrailScope | 'budget' | 'phrase';
  /** Of a guardrail its id; of a budget its interval. */
  readonly id: string;
  /** Of a budget its id. */
  readonly name: string;
  readonly body: string;
  readonly counts_byok: bigint;
}

/** Reads what is set for the requests of some keys. @param hashes As `in (…)` takes them. */
export function guardingRows(hashes: SqlStatement): SqlStatement {
  return sql`
    select hash, 'api-key' as source, guardrails.id, guardrails.name, rules as body, 0 as counts_byok
    from api_keys
      join guardrail_assignments on guardrail_assignments.account_id = api_keys.account_id
        and guardrail_assignments.kind = 'key' and subject = hash
      join guardrails on guardrails.id = guardrail_id
    where hash in (${hashes})
    union all
    select hash, 'member', guardrails.id, guardrails.name, rules, 0 from api_keys
      join guardrail_assignments on guardrail_assignments.account_id = api_keys.account_id
        and guardrail_assignments.kind = 'member' and subject = creator_user_id
      join guardrails on guardrails.id = guardrail_id
    where hash in (${hashes})
    union all
    select hash, 'workspace', guardrails.id, guardrails.name, rules, 0 from api_keys
      join guardrails on guardrails.workspace_id = api_keys.workspace_id and is_default = 1
    where hash in (${hashes})
    union all
    select hash, 'budget', period, workspace_budgets.id, cast(workspace_budgets.limit_amount as text), include_byok_in_budgets from api_keys
      join workspaces on workspaces.id = api_keys.workspace_id
      join workspace_budgets on workspace_budgets.workspace_id = workspaces.id
    where hash in (${hashes})
    union all
    select hash, 'phrase', allowed_phrases.id, '', phrase, 0 from api_keys
      join allowed_phrases on allowed_phrases.account_id = api_keys.account_id
    where hash in (${hashes})`;
}

const scopeOrder: readonly GuardrailScope[] = ['account', 'workspace', 'member', 'api-key'];

/** What rows set for a key; members without anything are left out. */
export function guardingOf(
  rows: readonly GuardingRow[],
  key: ApiKey,
): Pick<StoredCaller, 'guardrails' | 'allowedPhrases' | 'budgets'> {
  const applied: AppliedGuardrail[] = [];
  const phrases: string[] = [];
  const budgets: BudgetLimit[] = [];
  for (const { source, id, name, body, counts_byok } of rows) {
    if (source === 'phrase') phrases.push(body);
    else if (source === 'budget') {
      const interval = id as BudgetInterval;
      const limit = nanoFromInteger(BigInt(body));
      const subject = `workspace:${key.workspaceId}`;
      const includeByok = counts_byok !== 0n;
      budgets.push({ scope: 'workspace', source: name, subject, interval, limit, includeByok });
    } else {
      const guardrail = { id, name, scope: source, rules: rulesFromText(body) };
      applied.push(guardrail);
      budgets.push(...budgetsOf(guardrail, key));
    }
  }
  return {
    ...(applied.length > 0 && {
      guardrails: applied.sort(
        (one, other) => scopeOrder.indexOf(one.scope) - scopeOrder.indexOf(other.scope),
      ),
    }),
    ...(phrases.length > 0 && { allowedPhrases: phrases }),
    ...(budgets.length > 0 && {
      budgets: budgets.sort(
        (one, other) => budgetScopes.indexOf(one.scope) - budgetScopes.indexOf(other.scope),
      ),
    }),
  };
}

/** The budgets of a guardrail count for each key and each member alone (docs/spec/guardrails.md#budgets). */
function budgetsOf({ id: source, scope, rules }: AppliedGuardrail, key: ApiKey): readonly BudgetLimit[] {
  const { limit, resetInterval, includeByokInBudgets: includeByok, mode } = rules;
  if (limit === null || mode === 'observe') return [];
  const budget = { source, interval: resetInterval ?? 'lifetime', limit, includeByok } as const;
  const ofKey = { ...budget, subject: `key:${key.hash}` };
  const ofMember = { ...budget, subject: `member:${key.creatorUserId}` };
  switch (scope) {
    case 'api-key':
      return [{ ...ofKey, scope: 'api_key' }];
    case 'member':
      return [{ ...ofMember, scope: 'member' }];
    default: {
      const keys: BudgetLimit = { ...ofKey, scope: 'workspace_default_key' };
      return key.creatorUserId === null ? [keys] : [{ ...ofMember, scope: 'workspace_default_member' }, keys];
    }
  }
}
