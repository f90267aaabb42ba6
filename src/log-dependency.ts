import type { Logger } from 'pino';
import type { DependencyChange } from './metrics/dependency-health.ts';

/** Tells operators when the database, or the place for charges beside it, is lost, why, and when it is back. */
export function logDependency(log: Logger, { dependency, state }: DependencyChange, err: unknown): void {
  if (state === 'ok') log.info(restored[dependency]);
  else log.error({ err }, lost[dependency]);
}

const lost = {
  database: 'the database is unreachable, or takes no charges: requests that need it are refused',
  journal: 'charges cannot be made durable: paid requests are refused',
};

const restored = {
  database: 'the database is reachable',
  journal: 'charges can be made durable again',
};
