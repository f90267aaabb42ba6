import type { ByokCharge } from './sql/charge-line.ts';

/** How an engine writes charges. Each call is one transaction: it books all of its charges or none. */
export interface ChargeWriter {
  /**
   * Books a text of charge lines. A line whose id is booked already changes nothing.
   * @throws DatabaseError. If the connection was lost, nobody knows whether they were booked: try again.
   */
  write(lines: string): Promise<void>;
  /**
   * Books charges with the fee that the month of their account so far requires, one after the other. Resolves with what
   * each was charged; a charge whose id is booked already was charged what it was then. Throws like `write`.
   */
  writeByok(charges: readonly ByokCharge[]): Promise<readonly bigint[]>;
}
