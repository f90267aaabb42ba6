import type { Client } from 'pg';

/** An index that was dropped, and the statement that builds it again. */
export interface StoredIndex {
  readonly name: string;
  readonly statement: string;
}

interface IndexRow {
  readonly name: string;
  readonly owner: string;
  readonly definition: string;
  readonly constraint: string | null;
}

/** Drops every index of the tables, including primary keys, and returns how to rebuild them. */
export async function dropIndexes(client: Client, tables: readonly string[]): Promise<StoredIndex[]> {
  const { rows } = await client.query<IndexRow>(
    `select index.relname as name, owner.relname as owner, pg_get_indexdef(index.oid) as definition,
      pg_constraint.conname as constraint
    from pg_index join pg_class as index on index.oid = indexrelid join pg_class as owner on owner.oid = indrelid
      left join pg_constraint on conindid = indexrelid
    where owner.relname = any($1) order by owner.relname, index.relname`,
    [tables],
  );
  for (const { name, owner, constraint } of rows) {
    await client.query(
      constraint === null ? `drop index ${name}` : `alter table ${owner} drop constraint ${constraint}`,
    );
  }
  return rows.map(({ name, owner, definition, constraint }) => ({
    name,
    statement:
      constraint === null
        ? definition
        : `${definition}; alter table ${owner} add constraint ${constraint} primary key using index ${name}`,
  }));
}
