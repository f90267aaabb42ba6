import type { Logger } from 'pino';
import type { SharedStateHealth } from '../ports/shared-state.ts';

/** Logs when shared state is lost, with the reason, and when it is back. */
export function logSharedState(log: Logger, health: SharedStateHealth, err: unknown): void {
  if (health === 'ok') log.info('shared state is reachable');
  else if (health === 'local') log.error({ err }, 'shared state is unreachable: this process decides alone');
  else log.error({ err }, 'shared state is unreachable: requests that need it are refused');
}
