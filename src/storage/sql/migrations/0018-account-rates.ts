import type { SchemaDialect } from '../schema-dialect.ts';

/** Limits of single accounts for requests, tokens and parallel requests, as JSON. */
export function accountRates({ text }: SchemaDialect): readonly string[] {
  return [`alter table accounts add column rates ${text} not null default '{}'`];
}
