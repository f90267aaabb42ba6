import { isIP } from 'node:net';
import { foldAddress, listsAddress, readAddressEntry } from '../util/address-list.ts';
import { type Environment, environmentValue } from '../util/environment.ts';
import { type OwnProxy, type ProxyAddress, readProxyAddress } from '../util/proxy-address.ts';

/** Which proxies the environment of this process names (docs/spec/operations.md#outgoing-connections). */
export interface ProxyRules {
  readonly http?: NamedProxy;
  readonly https?: NamedProxy;
  readonly bypass: readonly Bypass[];
}

/** A proxy and the variable or setting that names it. */
export interface NamedProxy extends ProxyAddress {
  readonly source: string;
}

/** An entry of `NO_PROXY`. */
interface Bypass {
  /** Undefined where it is any. */
  readonly port?: number;
  /** A host and those below it, or `*`. */
  readonly host?: string;
  readonly networks?: readonly string[];
}

/** What is there without any variable. */
export const noProxies: ProxyRules = { bypass: [] };

/** A variable that cannot be read. */
export interface UnreadableVariable {
  readonly variable: string;
  readonly allowed: string;
}

/** Reads `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`; in lower case they win, as with curl. */
export function readProxyRules(environment: Environment): {
  readonly rules: ProxyRules;
  readonly unreadable: readonly UnreadableVariable[];
} {
  const unreadable: UnreadableVariable[] = [];
  const named = (name: string): NamedProxy | undefined => {
    const variable = [name.toLowerCase(), name].find(
      (one) => environmentValue(environment, one) !== undefined,
    );
    const text = variable === undefined ? undefined : environmentValue(environment, variable);
    if (variable === undefined || text === undefined) return undefined;
    try {
      return { ...readProxyAddress(text.trim()), source: variable };
    } catch (thrown) {
      unreadable.push({ variable, allowed: thrown instanceof Error ? thrown.message : 'another form' });
      return undefined;
    }
  };
  const listed = environmentValue(environment, 'no_proxy') ?? environmentValue(environment, 'NO_PROXY') ?? '';
  const bypass = listed.split(/[\s,]+/).flatMap((entry) => (entry === '' ? [] : [readBypass(entry)]));
  return { rules: { http: named('HTTP_PROXY'), https: named('HTTPS_PROXY'), bypass }, unreadable };
}

function readBypass(entry: string): Bypass {
  const whole = readNetwork(entry);
  if (whole !== undefined) return { networks: [whole] };
  const [, bracketed, plain = '', port] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [];
  const ofPort = port === undefined ? {} : { port: Number(port) };
  const network = readNetwork(bracketed ?? plain);
  if (network !== undefined) return { ...ofPort, networks: [network] };
  const host =
    plain === '*'
      ? plain
      : plain
          .toLowerCase()
          .replace(/^\*?\.+/, '')
          .replace(/\.$/, '');
  return { ...ofPort, host };
}

function readNetwork(text: string): string | undefined {
  try {
    return readAddressEntry(text);
  } catch {
    return undefined;
  }
}

/**
 * The proxy through which an address is reached; undefined means directly, as this machine itself always is.
 * @param own What its provider says, which stands above the environment.
 */
export function proxyFor(url: URL, rules: ProxyRules, own?: OwnProxy): ProxyAddress | undefined {
  if (own === 'none') return undefined;
  const named = own ?? (url.protocol === 'https:' ? rules.https : rules.http);
  if (named === undefined) return undefined;
  const host = url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  if (isLoopback(host)) return undefined;
  if (own !== undefined) return own;
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  return rules.bypass.some((one) => bypasses(one, host, port)) ? undefined : named;
}

const loopback = ['127.0.0.0/8', '::1'];

/** Whether a host is this machine, which no other one can reach by that name. */
export function isLoopback(host: string): boolean {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    (isIP(host) !== 0 && listsAddress(loopback, foldAddress(host)))
  );
}

function bypasses({ port: only, host: name, networks }: Bypass, host: string, port: number): boolean {
  if (only !== undefined && only !== port) return false;
  if (networks !== undefined) return listsAddress(networks, host);
  return name === '*' || host === name || host.endsWith(`.${name}`);
}
