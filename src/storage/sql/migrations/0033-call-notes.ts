import type { SchemaDialect } from '../schema-dialect.ts';

/** What is kept of calls beside their records: requests that were turned away, and how calls were routed. */
export function callNotes({ integer, text, tableEnd }: SchemaDialect): readonly string[] {
  return [
    // `refused` is 1 for a request without a record; `details` holds it then, as JSON.
    `create table call_notes (
      id ${text} not null primary key, account_id ${text} not null, at ${integer} not null, refused ${integer} not null,
      key_hash ${text} not null, workspace_id ${text}, model ${text} not null, error_type ${text} not null,
      details ${text} not null, note ${text} not null) ${tableEnd}`,
    'create index call_notes_by_account on call_notes (account_id, refused, at, id)',
    'create index call_notes_by_time on call_notes (at)',
  ];
}
