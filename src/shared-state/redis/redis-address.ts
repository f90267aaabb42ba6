/** Where a Redis server, or some nodes of a Redis Cluster, are reached. */
export interface RedisAddress {
  readonly cluster: boolean;
  readonly tls: boolean;
  /** One, or for a cluster any number from which the others are learnt. */
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly username?: string;
  readonly password?: string;
  /** 0 for a cluster, which has no other. */
  readonly database: number;
}

const usualPort = 6379;
const form = /^redis(s?)(-cluster)?:\/\/(?:([^@/]*)@)?([^@/?#]+)(?:\/(\d*))?$/;

/**
 * Reads `redis://[user:password@]host[:port][/database]`, or `redis-cluster://` with hosts separated by commas; `rediss`
 * in place of `redis` asks for TLS (operations.md 3).
 * @throws Error that says what is wrong without repeating the address, which may hold a password.
 */
export function readRedisAddress(url: string): RedisAddress {
  const found = form.exec(url);
  if (found === null) throw new Error(`shared_state.url is not ${allowed}.`);
  const [, secure, clustered, credentials = '', hosts = '', database = ''] = found;
  const cluster = clustered !== undefined;
  const nodes = hosts.split(',').map(readNode);
  if (!cluster && nodes.length > 1)
    throw new Error('shared_state.url names several hosts; a cluster begins with redis-cluster://.');
  if (cluster && Number(database) !== 0)
    throw new Error('shared_state.url names a database; a cluster has only 0.');
  const colon = credentials.indexOf(':');
  return {
    cluster,
    tls: secure === 's',
    nodes,
    username: decode(colon === -1 ? credentials : credentials.slice(0, colon)),
    password: colon === -1 ? undefined : decode(credentials.slice(colon + 1)),
    database: Number(database),
  };
}

const allowed = 'redis://[user:password@]host[:port][/database] or redis-cluster://host[:port],...';

function readNode(text: string): RedisAddress['nodes'][number] {
  const found = /^(\[[0-9a-fA-F:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(text);
  if (found?.[1] === undefined) throw new Error(`shared_state.url is not ${allowed}.`);
  return {
    host: found[1].replace(/^\[|\]$/g, ''),
    port: found[2] === undefined ? usualPort : Number(found[2]),
  };
}

function decode(text: string): string | undefined {
  try {
    return text === '' ? undefined : decodeURIComponent(text);
  } catch {
    throw new Error('shared_state.url has a user or password that is not percent-encoded.');
  }
}
