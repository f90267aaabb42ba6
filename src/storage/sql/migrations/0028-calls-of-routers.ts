import type { SchemaDialect } from '../schema-dialect.ts';

/** The calls whose models routers chose, by time: few beside all calls, and read every few minutes. */
export function callsOfRouters({ integer }: SchemaDialect): readonly string[] {
  // As text, because the JSON types of PostgreSQL refuse characters that texts of clients may hold. A quote inside of a
  // text is escaped, so only a member can look like this.
  const position = integer === 'bigint' ? 'strpos' : 'instr';
  return [
    `create index generations_by_router on generations (settled_at) where ${position}(details, '"routedBy":') > 0`,
  ];
}
