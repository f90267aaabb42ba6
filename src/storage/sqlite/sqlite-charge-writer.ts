import type { ChargeWriter } from '../charge-writer.ts';
import type { ReservedRoom } from '../reserved-room.ts';
import type { ByokCharge } from '../sql/byok-charge.ts';
import type { ThreadClient } from './thread-client.ts';

/** Writes charges by the thread of a SQLite file, in room that was reserved if the disk is full. */
export class SqliteChargeWriter implements ChargeWriter {
  readonly #thread: ThreadClient;
  readonly #room: ReservedRoom | undefined;

  /** @param room Undefined for a database in memory. */
  constructor(thread: ThreadClient, room: ReservedRoom | undefined) {
    this.#thread = thread;
    this.#room = room;
  }

  /** See `ChargeWriter.write`. */
  async write(lines: string): Promise<void> {
    await this.#inRoom(() => this.#thread.send({ kind: 'settle', charges: lines }));
  }

  /** See `ChargeWriter.writeByok`. */
  async writeByok(charges: readonly ByokCharge[]): Promise<readonly bigint[]> {
    const amounts = await this.#inRoom(() => this.#thread.send({ kind: 'settle-byok', charges }));
    // The thread answers each kind of request with its own shape.
    return Array.isArray(amounts) ? (amounts as readonly bigint[]) : [];
  }

  #inRoom<Result>(write: () => Promise<Result>): Promise<Result> {
    return this.#room === undefined ? write() : this.#room.use(write);
  }
}
