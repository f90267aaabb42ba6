import type { SchemaDialect } from '../schema-dialect.ts';

/** Named settings for requests, and their versions. `version` is the one that requests get. */
export function presets({ integer, text, tableEnd }: SchemaDialect): readonly string[] {
  return [
    `create table presets (
      id ${text} primary key not null, account_id ${text} not null, workspace_id ${text} not null,
      slug ${text} not null, name ${text} not null, description ${text}, status ${text} not null,
      status_updated_at ${integer}, creator_user_id ${text}, version ${integer} not null,
      created_at ${integer} not null, updated_at ${integer} not null,
      unique (workspace_id, slug)) ${tableEnd}`,
    `create table preset_versions (
      preset_id ${text} not null, version ${integer} not null, id ${text} not null, creator_id ${text} not null,
      system_prompt ${text}, config ${text} not null, created_at ${integer} not null,
      primary key (preset_id, version)) ${tableEnd}`,
  ];
}
