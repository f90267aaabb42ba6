import type { SchemaDialect } from '../schema-dialect.ts';

/** Guardrails with their assignments, phrases that are no prompt injection, budgets of workspaces, and members. */
export function guardrails({ integer, text, tableEnd }: SchemaDialect): readonly string[] {
  const key = `${text} primary key not null`;
  return [
    `create table guardrails (
      id ${key}, account_id ${text} not null, workspace_id ${text}, is_default ${integer} not null,
      name ${text} not null, description ${text}, rules ${text} not null, created_at ${integer} not null,
      updated_at ${integer}) ${tableEnd}`,
    'create index guardrails_by_workspace on guardrails (workspace_id)',
    `create table guardrail_assignments (
      id ${key}, account_id ${text} not null, guardrail_id ${text} not null, kind ${text} not null,
      subject ${text} not null, assigned_by ${text}, created_at ${integer} not null,
      unique (account_id, kind, subject)) ${tableEnd}`,
    'create index assignments_by_guardrail on guardrail_assignments (guardrail_id)',
    `create table allowed_phrases (
      id ${key}, account_id ${text} not null, phrase ${text} not null, folded ${text} not null,
      created_at ${integer} not null, created_by ${text}, unique (account_id, folded)) ${tableEnd}`,
    `create table workspace_budgets (
      id ${key}, workspace_id ${text} not null, period ${text} not null, limit_amount ${integer} not null,
      created_at ${integer} not null, updated_at ${integer} not null, unique (workspace_id, period)) ${tableEnd}`,
    `alter table workspaces add column include_byok_in_budgets ${integer} not null default 0`,
    `create table members (
      account_id ${text} not null, user_id ${text} not null, email ${text} not null, first_name ${text},
      last_name ${text}, role ${text} not null, created_at ${integer} not null,
      primary key (account_id, user_id)) ${tableEnd}`,
    `create table workspace_members (
      id ${key}, account_id ${text} not null, workspace_id ${text} not null, user_id ${text} not null,
      created_at ${integer} not null, unique (workspace_id, user_id)) ${tableEnd}`,
    // What a member or the keys of a workspace spent together.
    'create index api_keys_by_creator on api_keys (account_id, creator_user_id)',
    'create index api_keys_by_workspace on api_keys (workspace_id)',
  ];
}
