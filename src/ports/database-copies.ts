import type { LedgerDifference } from './ledger.ts';

/** Rows of each table of a database, by its name. */
export type RowCounts = ReadonlyMap<string, number>;

/** What came of putting a backup in the place of a database. */
export interface Restored {
  readonly counts: RowCounts;
  /** Where the database is now that was there before; undefined where none was. */
  readonly before: string | undefined;
}

/** What came of copying a database into one of another engine. */
export interface DatabaseCopy {
  /** Rows of each copied table, on both sides. */
  readonly tables: readonly { readonly table: string; readonly from: number; readonly to: number }[];
  /** What `Ledger.verify` finds on either side; empty where the ledger is right. */
  readonly differences: {
    readonly from: readonly LedgerDifference[];
    readonly to: readonly LedgerDifference[];
  };
  /** Ids of files whose contents were not there. */
  readonly lostFiles: readonly string[];
}
