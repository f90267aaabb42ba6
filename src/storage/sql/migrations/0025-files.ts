import type { SchemaDialect } from '../schema-dialect.ts';

/** Files of workspaces; their contents in pieces of base64, where no directory holds them. */
export function files({ integer, text, tableEnd }: SchemaDialect): readonly string[] {
  return [
    `create table files (
      id ${text} primary key not null, scope ${text} not null, account_id ${text} not null, workspace_id ${text},
      filename ${text} not null, mime_type ${text} not null, size ${integer} not null, hash ${text} not null,
      created_at ${integer} not null, expires_at ${integer}) ${tableEnd}`,
    'create index files_by_time on files (scope, created_at, id)',
    'create index files_by_hash on files (scope, hash)',
    'create index files_by_expiry on files (expires_at)',
    `create table file_pieces (
      scope ${text} not null, hash ${text} not null, piece ${integer} not null, base64 ${text} not null,
      primary key (scope, hash, piece)) ${tableEnd}`,
  ];
}
