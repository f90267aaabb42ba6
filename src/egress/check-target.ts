import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { listsAddress } from '../util/address-list.ts';
import { addressForms, isDeniedAddress } from './denied-address.ts';
import { EgressFailure } from './egress-failure.ts';
import { allowsAddress, deniesHost, type EgressRules, withoutEndDot } from './egress-rules.ts';

/** Finds the addresses of a name, IPv4 and IPv6. */
export type ResolveName = (host: string) => Promise<readonly string[]>;

/** Where one request may go: the addresses of its host, all of them checked. */
export interface CheckedTarget {
  readonly url: URL;
  readonly addresses: readonly string[];
}

const longestUrl = 2048;
const localNames = /(^|\.)(localhost|local|internal|home\.arpa)$/;

/**
 * Checks where an address leads (docs/spec/egress.md#addresses), by its words and by every address that its name has.
 * @param isFirst Only the first address of a request may be one that the operator allows, a redirect never.
 * @throws EgressFailure `refused`, or `unreachable` when the name has no address.
 */
export async function checkTarget(
  text: string,
  rules: EgressRules,
  isFirst: boolean,
  resolve: ResolveName = resolveName,
): Promise<CheckedTarget> {
  const url = readUrl(text);
  const host = withoutEndDot(url.hostname);
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (deniesHost(rules, host)) throw refused('its host is not allowed here');
  const literal = literalOf(host);
  const isAllowed = isFirst && rules.hosts.has(`${host}:${port}`);
  const problem = isAllowed ? undefined : problemOf(host, literal, port);
  const mayBeAllowed = isFirst && rules.networks.some((network) => network.port === port);
  if (problem !== undefined && !mayBeAllowed) throw refused(problem);
  const addresses = literal === undefined ? await addressesOf(host, resolve) : [literal];
  if (addresses.some((address) => listsAny(rules.deniedAddresses, address))) throw refused(notPublic);
  if (isAllowed || (mayBeAllowed && addresses.every((address) => allowsAddress(rules, address, port)))) {
    return { url, addresses };
  }
  if (problem !== undefined) throw refused(problem);
  if (addresses.some(isDeniedAddress)) throw refused(notPublic);
  return { url, addresses };
}

const notPublic = 'its host is not on the public internet';

function readUrl(text: string): URL {
  if (text.length > longestUrl) {
    throw new EgressFailure('refused', `The address is longer than ${longestUrl} characters.`);
  }
  if (!URL.canParse(text)) throw new EgressFailure('refused', 'The address is not a URL.');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refused('only http and https are');
  if (url.username !== '' || url.password !== '') throw refused('it holds a user name or password');
  return url;
}

function problemOf(host: string, literal: string | undefined, port: number): string | undefined {
  if (port !== 80 && port !== 443) return 'only ports 80 and 443 are';
  if (literal !== undefined) return undefined;
  return localNames.test(host) || !host.includes('.') ? notPublic : undefined;
}

/** The address that a host name of a URL is; undefined when it is a name. */
function literalOf(host: string): string | undefined {
  const bare = /^\[(.*)\]$/.exec(host)?.[1] ?? host;
  return isIP(bare) === 0 ? undefined : bare;
}

async function addressesOf(host: string, resolve: ResolveName): Promise<readonly string[]> {
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length === 0)
    throw new EgressFailure('unreachable', 'The host of the address was not found.');
  return addresses;
}

function listsAny(entries: readonly string[], address: string): boolean {
  return addressForms(address).some((form) => listsAddress(entries, form));
}

async function resolveName(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}

function refused(why: string): EgressFailure {
  return new EgressFailure('refused', `The address is not allowed: ${why}.`);
}
