/** The address of a Redis server, of some nodes of a Redis Cluster, or of the sentinels of a server. */
export interface RedisAddress {
  readonly cluster: boolean;
  readonly tls: boolean;
  /**
   * One server; or any number of nodes through which a cluster's others are discovered; or all sentinels to ask.
   */
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  /** How to ask the sentinels at `nodes`. */
  readonly sentinel?: SentinelSettings;
  readonly username?: string;
  readonly password?: string;
  /** 0 for a cluster, which has no other. */
  readonly database: number;
}

/** How sentinels are asked for a primary. */
export interface SentinelSettings {
  /** The name under which they monitor it. */
  readonly primary: string;
  /** Of the sentinels themselves. */
  readonly username?: string;
  readonly password?: string;
}

const usualPort = 6379;
const usualSentinelPort = 26379;
const form = /^redis(s?)(?:-(cluster|sentinel))?:\/\/(?:([^@/]*)@)?([^@/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/;

/**
 * Reads `redis://[user:password@]host[:port][/database]`, or `redis-cluster://` with hosts separated by commas, or
 * `redis-sentinel://` with those of sentinels and `/primary-name[/database]`; `rediss` in place of `redis` uses TLS
 * (docs/spec/operations.md#shared-state).
 * @throws RangeError whose message names the fault without a subject, as in "names several hosts", and does not
 * repeat the address, which may contain a password.
 */
export function readRedisAddress(url: string): RedisAddress {
  const found = form.exec(url);
  if (found === null) throw new RangeError(`is not ${allowed}`);
  const [, secure, kind, credentials = '', hosts = '', path = '', query] = found;
  const nodes = hosts.split(',').map((host) => readNode(host, kind === 'sentinel'));
  const { sentinel, database } = kind === 'sentinel' ? readSentinel(path, query) : readPlain(path, query);
  if (kind === undefined && nodes.length > 1)
    throw new RangeError(
      'names several hosts; a cluster begins with redis-cluster://, sentinels with redis-sentinel://',
    );
  if (kind === 'cluster' && database !== 0) throw new RangeError('names a database; a cluster has only 0');
  const colon = credentials.indexOf(':');
  return {
    cluster: kind === 'cluster',
    tls: secure === 's',
    nodes,
    ...(sentinel && { sentinel }),
    username: decode(colon === -1 ? credentials : credentials.slice(0, colon)),
    password: colon === -1 ? undefined : decode(credentials.slice(colon + 1)),
    database,
  };
}

const allowed =
  'redis://[user:password@]host[:port][/database], redis-cluster://host[:port],... or redis-sentinel://host[:port],.../primary-name[/database]';

type PathAndQuery = Pick<RedisAddress, 'sentinel' | 'database'>;

function readPlain(path: string, query: string | undefined): PathAndQuery {
  if (query !== undefined || !/^\d*$/.test(path)) throw new RangeError(`is not ${allowed}`);
  return { database: Number(path) };
}

function readSentinel(path: string, query = ''): PathAndQuery {
  // Sentinel itself allows no other characters in a name.
  const found = /^([\w.-]+)(?:\/(\d*))?$/.exec(path);
  if (found?.[1] === undefined)
    throw new RangeError(
      'lacks the name of the primary: redis-sentinel://host[:port],.../primary-name, as in "sentinel monitor primary-name ..."',
    );
  const [, primary, database] = found;
  return { sentinel: { primary, ...readCredentials(query) }, database: Number(database ?? 0) };
}

function readCredentials(query: string): Pick<SentinelSettings, 'username' | 'password'> {
  const values = new Map<string, string>();
  for (const part of query.split('&').filter((text) => text !== '')) {
    const equals = part.indexOf('=');
    const name = part.slice(0, equals);
    if (name !== 'sentinel_username' && name !== 'sentinel_password')
      throw new RangeError('has an unknown parameter; allowed: sentinel_username, sentinel_password');
    values.set(name, part.slice(equals + 1));
  }
  return {
    username: decode(values.get('sentinel_username') ?? ''),
    password: decode(values.get('sentinel_password') ?? ''),
  };
}

function readNode(text: string, sentinel: boolean): RedisAddress['nodes'][number] {
  const found = /^(\[[0-9a-fA-F:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(text);
  if (found?.[1] === undefined) throw new RangeError(`is not ${allowed}`);
  const usual = sentinel ? usualSentinelPort : usualPort;
  return {
    host: found[1].replace(/^\[|\]$/g, ''),
    port: found[2] === undefined ? usual : Number(found[2]),
  };
}

function decode(text: string): string | undefined {
  try {
    return text === '' ? undefined : decodeURIComponent(text);
  } catch {
    throw new RangeError('has a user or password that is not percent-encoded');
  }
}
