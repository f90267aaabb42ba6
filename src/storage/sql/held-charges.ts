import { type ChargeRow, chargePlace, readChargeLine, readChargeLines } from './charge-columns.ts';
import type { SqlConnection } from './database.ts';
import { sql } from './statement.ts';

interface HeldRow {
  readonly id: string;
  readonly line: string;
}

/** Keeps a charge line, with or without terms, that the database refused. Keeping it again changes nothing. */
export async function holdCharge(db: SqlConnection, line: string): Promise<void> {
  const id = String(readChargeLine(line)[chargePlace.id]);
  await db.change(
    sql`insert into held_charges (id, line) values (${id}, ${line}) on conflict (id) do nothing`,
  );
}

/** The charges that are kept. */
export async function heldCharges(db: SqlConnection): Promise<readonly ChargeRow[]> {
  return (await heldRows(db)).flatMap(({ line }) => readChargeLines(line));
}

/**
 * Books the charges that are kept and forgets those that were booked.
 * @param book Resolves with whether the database accepts the line now.
 */
export async function retryHeldCharges(
  db: SqlConnection,
  book: (line: string) => Promise<boolean>,
): Promise<void> {
  for (const { id, line } of await heldRows(db)) {
    if (await book(line)) await db.change(sql`delete from held_charges where id = ${id}`);
  }
}

function heldRows(db: SqlConnection): Promise<readonly HeldRow[]> {
  return db.rows<HeldRow>(sql`select id, line from held_charges order by id`);
}
