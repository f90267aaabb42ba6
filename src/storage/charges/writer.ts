import type { Charge } from '../sql/charge-columns.ts';

/**
 * What charges were charged, in their order; undefined for one that was charged what its line says, and for all where that
 * holds for all.
 */
export type Amounts = readonly (bigint | undefined)[] | undefined;

/** How an engine writes charges. */
export interface ChargeWriter {
  /**
   * Books charges with the fees that the month of their account so far requires, one after the other; a charge whose id is
   * booked already changes nothing, and was charged what it was then. If it fails, some of them may be booked: try again.
   * @param atOnce Whether they must be booked when this resolves, and not only durable: then a value that the database refuses
   *   is noticed here.
   * @throws DatabaseError. If the connection was lost, it is unknown whether they were booked.
   */
  write(charges: readonly Charge[], atOnce?: boolean): Promise<Amounts>;
}
