import type { Logger } from 'pino';
import type { DependencyChange } from '../metrics/dependency-health.ts';
import type { Storage } from '../ports/storage.ts';

/**
 * Logs when the database, or the room for charges beside it, is lost, with the reason, and when it is back.
 */
export function logDependency(log: Logger, { dependency, state }: DependencyChange, err: unknown): void {
  if (state === 'ok') log.info(restored[dependency]);
  else if (state === 'no_room') log.warn({ err }, noRoom);
  else log.error({ err }, lost[dependency]);
}

const lost = {
  database: 'the database is unreachable, or takes no charges: requests that need it are refused',
  journal: 'charges cannot be made durable: paid requests are refused',
};

const noRoom =
  'there is no room for charges in the data directory: during an outage of the database paid requests are refused immediately; let this user write there, with 8 MiB free';

const restored = {
  database: 'the database is reachable',
  journal: 'charges can be made durable again',
};

/**
 * Logs the charges that an ending process leaves on its machine only; call it after the storage was closed.
 */
export function logLeftCharges(
  log: Logger,
  { waitingCharges: charges = 0 }: Storage,
  directory: string,
): void {
  if (charges === 0) return;
  log.warn(
    { charges, directory },
    'charges are in the data directory and not in the database: the next start there books them, or "headgate ledger verify"',
  );
}
