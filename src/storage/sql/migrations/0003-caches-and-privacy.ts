import type { SchemaDialect } from '../schema-dialect.ts';

/** How much of a prompt was read from a cache, and where accounts let their prompts go. */
export function cachesAndPrivacy({ integer, text }: SchemaDialect): readonly string[] {
  return [
    `alter table generations add column cached_tokens ${integer}`,
    // A JSON text: routing reads it whole.
    `alter table accounts add column privacy ${text} not null default '{}'`,
  ];
}
