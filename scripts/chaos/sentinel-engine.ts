import { eventually } from '../../test/support/eventually.ts';
import type { TestRedis } from '../../test/support/start-redis.ts';
import {
  primaryName,
  startRedisSentinels,
  type TestSentinels,
} from '../../test/support/start-redis-sentinels.ts';
import type { Engine, EngineFault } from './engine.ts';

/** Milliseconds of silence after which sentinels consider a server down. */
const goneAfter = 1_000;
/** Sentinels start no second failover of the same primary within twice this time. Milliseconds. */
const failoverTimeout = 3_000;
const longestFault = 8_000;
/** Time for sentinels to form a primary with a replica again; they usually take some ten seconds. */
const healing = 120_000;

/** Starts a scratch Redis with a primary and a replica, monitored by three sentinels, without persistence. */
export async function startSentinelEngine(): Promise<Engine> {
  const redis = await startRedisSentinels();
  await redis.goneAfter(goneAfter);
  for (const { ask } of redis.sentinels)
    await ask('SENTINEL', 'SET', primaryName, 'failover-timeout', String(failoverTimeout));
  const portsOf = (servers: readonly TestRedis[]) => servers.map(({ port }) => port);
  const [first] = redis.servers;
  return {
    name: 'Redis',
    ports: portsOf([...redis.servers, ...redis.sentinels]),
    namesPorts: true,
    url: (portFor = (port) => port) => {
      const hosts = redis.sentinels.map(({ port }) => `127.0.0.1:${portFor(port)}`);
      return `redis-sentinel://${hosts.join(',')}/${primaryName}`;
    },
    engineFaults: faultsOf(redis),
    parts: [
      { name: 'Redis and its sentinels', ports: portsOf([...redis.servers, ...redis.sentinels]) },
      { name: 'both Redis servers', ports: portsOf(redis.servers) },
      { name: 'one Redis server', ports: portsOf(first ? [first] : []) },
      { name: 'the sentinels', ports: portsOf(redis.sentinels) },
    ],
    close: () => redis.stop(),
  };
}

function faultsOf(redis: TestSentinels): readonly EngineFault[] {
  return [
    engineFault(
      redis,
      'Redis primary killed',
      (primary) => [primary],
      (one) => one.kill(),
      (one) => one.restart(),
    ),
    engineFault(
      redis,
      'Redis primary and a sentinel killed',
      (primary) => [primary, ...redis.sentinels.slice(0, 1)],
      (one) => one.kill(),
      (one) => one.restart(),
    ),
    engineFault(
      redis,
      'Redis primary frozen',
      (primary) => [primary],
      async (one) => one.pause(),
      async (one) => one.resume(),
    ),
    engineFault(
      redis,
      'both Redis servers killed',
      () => redis.servers,
      (one) => one.kill(),
      (one) => one.restart(),
    ),
    engineFault(
      redis,
      'Redis replica promoted',
      () => redis.sentinels.slice(0, 1),
      promote,
      async () => undefined,
    ),
  ];
}

/** A fault applied to each of some servers, and repaired. */
function engineFault(
  redis: TestSentinels,
  name: string,
  victimsOf: (primary: TestRedis) => readonly TestRedis[],
  doTo: (one: TestRedis) => Promise<void>,
  undo: (one: TestRedis) => Promise<void>,
): EngineFault {
  let victims: readonly TestRedis[] = [];
  return {
    name,
    longest: longestFault,
    begin: async () => {
      victims = victimsOf(await redis.primary());
      await Promise.all(victims.map(doTo));
    },
    end: async () => {
      await Promise.all(victims.map(undo));
      await eventually('a primary with its replica', () => isWhole(redis), healing);
    },
  };
}

/** Orders a failover from a sentinel; it declines while the previous one is not finished. */
async function promote(sentinel: TestRedis): Promise<void> {
  const accepted = async () =>
    (await sentinel.ask('SENTINEL', 'FAILOVER', primaryName)) === '+OK\r\n' || undefined;
  await eventually('a sentinel that begins a failover', accepted, healing);
}

/** Whether all sentinels name one primary that has all other servers as its replicas. */
async function isWhole({ sentinels, servers }: TestSentinels): Promise<true | undefined> {
  try {
    const named = await Promise.all(
      sentinels.map(({ ask }) => ask('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', primaryName)),
    );
    const primary = servers.find(({ port }) => named.every((name) => name.includes(`\r\n${port}\r\n`)));
    if (primary === undefined) return undefined;
    const roles = await Promise.all(servers.map(({ ask }) => ask('INFO', 'replication')));
    const isRight = servers.map((server, index) => {
      const role = roles[index] ?? '';
      if (server === primary) return role.includes('role:master');
      return role.includes(`master_port:${primary.port}\r\n`) && role.includes('master_link_status:up');
    });
    return isRight.every(Boolean) || undefined;
  } catch {
    return undefined;
  }
}
