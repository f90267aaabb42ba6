import type { ServeOptions } from '../cli/cli-environment.ts';
import type { Config } from '../config/config.ts';
import { createLog, written } from './create-log.ts';
import type { ServeSurroundings } from './run-server.ts';

/**
 * Runs the server until a signal stops it (docs/spec/operations.md#stopping), or several server processes
 * (`server.workers`). Resolves with the exit code.
 */
export async function serve(
  config: Config,
  options: ServeOptions,
  environment: ServeSurroundings,
): Promise<number> {
  const { workers } = config.server;
  // Loaded only where there are several processes.
  const supervisor =
    workers > 1 || process.channel !== undefined
      ? (await import('../workers/supervised.ts')).findSupervisor()
      : undefined;
  if (workers > 1 && supervisor === undefined) return superviseServers(config, environment);
  // Loaded only by processes that serve; a supervisor does not.
  const { runServer } = await import('./run-server.ts');
  return runServer(config, options, environment, supervisor);
}

/** Runs `server.workers` processes of this program. */
async function superviseServers(config: Config, { isTerminal }: ServeSurroundings): Promise<number> {
  const { superviseWorkers } = await import('../workers/supervise.ts');
  const { log, write } = await createLog(config, isTerminal, { supervisor: process.pid });
  const { workers, drainTimeout } = config.server;
  const code = await superviseWorkers({ workers, drainTimeout, log, write });
  await written(log);
  return code;
}
