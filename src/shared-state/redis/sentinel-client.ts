import type { RedisAddress, SentinelSettings } from '../../util/redis-address.ts';
import type { OnLost, RedisClient } from './redis-client.ts';
import { type NamedPrimary, Sentinel } from './sentinel.ts';
import { openServer } from './server-client.ts';

/**
 * Milliseconds for other sentinels to answer after the first one did, because one of them may be more current.
 */
const stragglers = 100;

/**
 * Connects to the server that the sentinels name as primary. Probes check that it still is primary and whether the
 * sentinels have named another since.
 */
export async function openBehindSentinels(
  address: RedisAddress,
  settings: SentinelSettings,
  patience: number,
  onLost: OnLost,
): Promise<RedisClient> {
  const sentinels = address.nodes.map((node) => new Sentinel(address, settings, node));
  const close = () => {
    for (const sentinel of sentinels) sentinel.close();
  };
  try {
    const primary = await askAll(sentinels, settings, patience);
    const server = await openServer({ ...address, nodes: [primary] }, patience, onLost);
    return {
      ...server,
      probe: async () => {
        const requests = askAll(sentinels, settings, patience * 0.8);
        // A primary works even without sentinels.
        const named = await Promise.all([requests.catch(() => primary), checkRole(server, primary)]);
        checkNamed(named[0], primary);
        return true;
      },
      destroy: () => {
        close();
        server.destroy();
      },
    };
  } catch (reason) {
    close();
    throw reason;
  }
}

async function checkRole(server: RedisClient, { host, port }: NamedPrimary): Promise<void> {
  const role = await server.send('', ['ROLE']);
  if (!Array.isArray(role) || role[0] !== 'master')
    throw new Error(`${host}:${port}, which the sentinels named as the primary, is a replica`);
}

function checkNamed({ host, port, epoch }: NamedPrimary, primary: NamedPrimary): void {
  // A sentinel that was cut off may be behind what is already known.
  if (epoch > primary.epoch && (host !== primary.host || port !== primary.port))
    throw new Error(`the sentinels name another primary: ${host}:${port}`);
}

/**
 * The newest answer of the reachable sentinels.
 * @throws Error when none names a primary, with each one's answer and what to do.
 */
async function askAll(
  sentinels: readonly Sentinel[],
  { primary }: SentinelSettings,
  patience: number,
): Promise<NamedPrimary> {
  const named: NamedPrimary[] = [];
  const requests = sentinels.map(async (sentinel) => {
    named.push(await sentinel.primary(patience));
  });
  try {
    await Promise.any(requests);
  } catch (reason) {
    const reasons = reason instanceof AggregateError ? reason.errors : [reason];
    const answers = sentinels.map(({ name }, index) => `${name}: ${textOf(reasons[index])}`);
    throw new Error(
      `no sentinel names a primary "${primary}" (${answers.join('; ')}); check the hosts in shared_state.url, that the name is the one of "sentinel monitor", and sentinel_password`,
      { cause: reason },
    );
  }
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, stragglers);
  });
  await Promise.race([Promise.allSettled(requests), late]);
  clearTimeout(timer);
  return named.reduce((newest, other) => (other.epoch > newest.epoch ? other : newest));
}

function textOf(reason: unknown): string {
  if (!(reason instanceof Error)) return String(reason);
  // A host with several addresses fails without a message.
  return reason.message || String(Reflect.get(reason, 'code'));
}
