import type { SchemaDialect } from '../schema-dialect.ts';

/** Sessions of the dashboard and the links that begin one. `key_hash` is the first principal's. */
export function dashboardSessions({ integer, text, tableEnd }: SchemaDialect): readonly string[] {
  return [
    `create table dashboard_sessions (
      id ${text} primary key not null, csrf ${text} not null, key_hash ${text} not null,
      principals ${text} not null, created_at ${integer} not null, used_at ${integer} not null,
      ends_at ${integer} not null, idle ${integer} not null, address ${text}, browser ${text} not null) ${tableEnd}`,
    `create table dashboard_links (
      code_hash ${text} primary key not null, key_hash ${text} not null, expires_at ${integer} not null) ${tableEnd}`,
  ];
}
