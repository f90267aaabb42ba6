import type { SchemaDialect } from '../schema-dialect.ts';

/** Finds the further turns of a request, which few requests have. */
export function turns({ text }: SchemaDialect): readonly string[] {
  return [
    `alter table generations add column request_id ${text}`,
    'create index generations_by_request on generations (request_id) where request_id is not null',
  ];
}
