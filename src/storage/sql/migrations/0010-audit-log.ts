import type { SchemaDialect } from '../schema-dialect.ts';

/**
 * The audit log: a chain of entries for each account, and one under the empty id for what belongs to no account.
 * `entry` is what the hash is made of; the other columns repeat parts of it for lists.
 */
export function auditLog({ integer, text, tableEnd }: SchemaDialect): readonly string[] {
  return [
    `create table audit_chains (
      account_id ${text} primary key not null, seq ${integer} not null, hash ${text} not null) ${tableEnd}`,
    `create table audit_entries (
      account_id ${text} not null, seq ${integer} not null, id ${text} not null, at ${integer} not null,
      action ${text} not null, object_type ${text} not null, object_id ${text}, actor ${text} not null,
      outcome ${text} not null, entry ${text} not null, hash ${text} not null,
      primary key (account_id, seq)) ${tableEnd}`,
    'create index audit_entries_at on audit_entries (at)',
  ];
}
