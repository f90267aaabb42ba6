import type { ServerConfig } from '../config/config.ts';
import { isObject } from '../util/json.ts';
import { CommandFailure } from './command-failure.ts';
import type { CommandContext } from './context.ts';

const longestWait = 30_000;

/** How to reach a running server. */
export interface ServerAccess {
  readonly url?: string;
  readonly key?: string;
}

/**
 * Posts to the interface of a running server, or reads from it where there is no body, and gives its answer.
 * @param path Under `/api/v1`.
 * @throws CommandFailure when it cannot be reached, has no key to show, or refuses; with the server's own words.
 */
export async function askServer(
  path: string,
  body: unknown,
  access: ServerAccess,
  context: CommandContext,
): Promise<unknown> {
  const { env } = context.environment;
  const key = access.key ?? env.HEADGATE_API_KEY;
  if (key === undefined || key === '') {
    throw new CommandFailure('no API key; give --key or set HEADGATE_API_KEY');
  }
  const named = access.url ?? env.HEADGATE_URL ?? (await configuredAddress(context));
  // The address that clients are given ends in /api/v1.
  const address = named.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
  const response = await fetch(`${address}/api/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    // A redirect would carry the key to another host.
    redirect: 'error',
    signal: AbortSignal.timeout(longestWait),
  }).catch(() => {
    throw new CommandFailure(`no server answers at ${address}; start it, or give --url`);
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok && answer !== undefined) return answer;
  throw new CommandFailure(messageOf(answer) ?? `${address} answered ${response.status} and is no Headgate`);
}

/** Where this machine reaches the server that the configuration describes. */
export async function configuredAddress(context: CommandContext): Promise<string> {
  const { server } = await context.loadForBooks();
  return addressAt(server, server.port);
}

/** Where browsers reach the dashboard that the configuration describes. */
export async function configuredDashboard(context: CommandContext): Promise<string> {
  const { server } = await context.loadForBooks();
  return server.publicUrl ?? addressAt(server, server.dashboard.port ?? server.port);
}

function addressAt({ host, tls }: ServerConfig, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `${tls === undefined ? 'http' : 'https'}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

function messageOf(answer: unknown): string | undefined {
  const error = isObject(answer) ? answer.error : undefined;
  return isObject(error) && typeof error.message === 'string' ? error.message : undefined;
}
