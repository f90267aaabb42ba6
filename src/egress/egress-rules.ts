import { isIP } from 'node:net';
import { listsAddress, readAddressEntry } from '../util/address-list.ts';
import type { ProxyAddress } from '../util/proxy-address.ts';

/** What an operator allows and forbids beyond the usual rules (docs/spec/egress.md#operators-lists). Written as in the configuration. */
export interface EgressSettings {
  /** `host:port`, or `network:port` with an IPv6 part in brackets: exempt from the rules for exactly that target. */
  readonly allow: readonly string[];
  /** Names of hosts, addresses and networks; they win over `allow`. */
  readonly deny: readonly string[];
  /** Bytes of a decoded body. */
  readonly maxBody: number;
  /** Through which every target but this machine is reached. */
  readonly proxy?: ProxyAddress;
}

/** The same, read. */
export interface EgressRules {
  readonly hosts: ReadonlySet<string>;
  readonly networks: readonly { readonly entries: readonly string[]; readonly port: number }[];
  readonly deniedHosts: readonly string[];
  readonly deniedAddresses: readonly string[];
  readonly maxBody: number;
}

const read = new WeakMap<EgressSettings, EgressRules>();

/** Rules of checked settings; read once for each object. */
export function egressRules(settings: EgressSettings): EgressRules {
  const known = read.get(settings);
  if (known !== undefined) return known;
  const allowed = settings.allow.map(readAllowed);
  const denied = settings.deny.map(readDenied);
  const rules: EgressRules = {
    hosts: new Set(allowed.flatMap(({ host }) => host ?? [])),
    networks: allowed.flatMap(({ network }) => network ?? []),
    deniedHosts: denied.flatMap(({ host }) => host ?? []),
    deniedAddresses: denied.flatMap(({ address }) => address ?? []),
    maxBody: settings.maxBody,
  };
  read.set(settings, rules);
  return rules;
}

/** Whether the operator forbids a host: by its own name, or as part of a domain. */
export function deniesHost({ deniedHosts }: EgressRules, host: string): boolean {
  return deniedHosts.some((denied) => host === denied || host.endsWith(`.${denied}`));
}

/** Whether an address and port lie in a network the operator allows. */
export function allowsAddress({ networks }: EgressRules, address: string, port: number): boolean {
  return networks.some((network) => network.port === port && listsAddress(network.entries, address));
}

/** Whether the operator allows a target by its name, or by the address that its URL holds. */
export function allowsTarget(rules: EgressRules, { hostname, port, protocol }: URL): boolean {
  const number = Number(port || (protocol === 'https:' ? 443 : 80));
  if (rules.hosts.has(`${withoutEndDot(hostname)}:${number}`)) return true;
  const bare = /^\[(.*)\]$/.exec(hostname)?.[1] ?? hostname;
  return isIP(bare) !== 0 && allowsAddress(rules, bare, number);
}

interface Allowed {
  /** `host:port`, as in a URL. */
  readonly host?: string;
  readonly network?: { readonly entries: readonly string[]; readonly port: number };
}

/** Reads an entry of `allow`. @throws RangeError saying what an entry must be. */
export function readAllowed(entry: string): Allowed {
  const [, target = '', digits = ''] = /^(.+):(\d{1,5})$/.exec(entry.trim()) ?? [];
  const port = Number(digits);
  if (target === '' || port < 1 || port > 65_535) throw notAllowable();
  const bare = /^\[(.*)\]$/.exec(target)?.[1] ?? target;
  const address = addressOf(bare);
  if (address !== undefined) return { network: { entries: [address], port } };
  const host = hostOf(target);
  if (host === undefined) throw notAllowable();
  return { host: `${host}:${port}` };
}

/** Reads an entry of `deny`. @throws RangeError saying what an entry must be. */
export function readDenied(entry: string): { readonly host?: string; readonly address?: string } {
  const text = entry.trim();
  const address = addressOf(text);
  if (address !== undefined) return { address };
  const host = hostOf(text.replace(/^\*\./, ''));
  if (host === undefined)
    throw new RangeError('must be a host name, an address or a network such as 10.0.0.0/8');
  return { host };
}

function addressOf(text: string): string | undefined {
  try {
    return readAddressEntry(text);
  } catch {
    return undefined;
  }
}

/** A name as URLs spell it; undefined when it is none. */
function hostOf(text: string): string | undefined {
  if (!/^[a-z0-9._-]+$/i.test(text) || !URL.canParse(`http://${text}/`)) return undefined;
  return withoutEndDot(new URL(`http://${text}/`).hostname);
}

/** A name without the dot that makes it absolute. */
export function withoutEndDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host;
}

function notAllowable(): RangeError {
  return new RangeError(
    'must be a host or network with a port, such as wiki.corp:8080, 10.1.0.0/16:80 or [fd00::/8]:80',
  );
}
