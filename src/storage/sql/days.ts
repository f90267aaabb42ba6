import { type SqlStatement, sql } from './statement.ts';

/** UTC days since 1970, without the last one; undefined is without end. */
export interface Days {
  readonly first: number | undefined;
  readonly end: number | undefined;
}

/** A condition on a column `day`. */
export function within({ first, end }: Days): SqlStatement {
  const from = first === undefined ? sql`` : sql`and day >= ${first}`;
  return end === undefined ? sql`1 = 1 ${from}` : sql`day < ${end} ${from}`;
}
