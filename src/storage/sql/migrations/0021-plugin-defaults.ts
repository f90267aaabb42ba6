import type { SchemaDialect } from '../schema-dialect.ts';

/** Plugins that are on by default for the requests of an account, as JSON. */
export function pluginDefaults({ text }: SchemaDialect): readonly string[] {
  return [`alter table accounts add column plugin_defaults ${text} not null default '{}'`];
}
