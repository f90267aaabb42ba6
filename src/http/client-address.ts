import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { foldAddress, listsAddress } from '../util/address-list.ts';

/** What is known of where a request came from. */
export interface Arrival {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string };
}

/**
 * Whose `X-Forwarded` headers are believed (docs/spec/operations.md#proxies): nobody's, everybody's, those of so many
 * proxies in front, or those of the addresses and networks listed.
 */
export type TrustedProxies = boolean | number | readonly string[];

/** Entries of `X-Forwarded-For` that are looked at. */
const mostHops = 64;
/** Characters of an address with its brackets and port. */
const longestAddress = 64;

/**
 * The address of a request's client: that of the connection or, behind proxies that are trusted, the one in
 * `X-Forwarded-For` that the last of them wrote. What stands before it, the client may have written. Undefined once the
 * connection is gone.
 */
export function clientAddress({ headers, socket }: Arrival, trusted: TrustedProxies): string | undefined {
  const peer = plainAddress(socket.remoteAddress ?? '');
  if (trusted === false) return peer;
  if (typeof trusted === 'number') return addressOfHop(headers, trusted) ?? peer;
  const isProxy = trusted === true ? isPrivate : (address: string) => listsAddress(trusted, address);
  if (trusted !== true && (peer === undefined || !isProxy(peer))) return peer;
  let nearest = peer;
  for (const named of hopsOf(headers)) {
    const address = plainAddress(named);
    // From a word that is no address on, nothing is known.
    if (address === undefined) return nearest;
    nearest = address;
    if (!isProxy(address)) return address;
  }
  return nearest;
}

/** Whether a request came from a proxy that is trusted, so that `X-Forwarded-Proto`, `-Host` and `-Prefix` are believed. */
export function isFromProxy({ headers, socket }: Arrival, trusted: TrustedProxies): boolean {
  if (typeof trusted === 'boolean') return trusted;
  if (typeof trusted === 'number') return addressOfHop(headers, trusted) !== undefined;
  return listsAddress(trusted, plainAddress(socket.remoteAddress ?? ''));
}

/** The n-th address from the right; undefined where a request came through fewer proxies. */
function addressOfHop(headers: IncomingHttpHeaders, hop: number): string | undefined {
  let number = 0;
  for (const named of hopsOf(headers)) {
    number += 1;
    if (number === hop) return plainAddress(named);
  }
  return undefined;
}

/** The entries of `X-Forwarded-For`, the nearest first. */
function* hopsOf(headers: IncomingHttpHeaders): Generator<string, void> {
  const text = String(headers['x-forwarded-for'] ?? '');
  let end = text.length;
  for (let hop = 0; hop < mostHops && end >= 0; hop += 1) {
    const comma = end === 0 ? -1 : text.lastIndexOf(',', end - 1);
    yield text.slice(comma + 1, end);
    end = comma;
  }
}

/** An address without the port, the brackets, the zone or the prefix it may come with; undefined when it is none. */
export function plainAddress(text: string): string | undefined {
  const written = text.trim();
  if (written.length > longestAddress) return undefined;
  if (isIP(written) === 4) return written;
  const address = written
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/%[^%]*$/, '');
  return foldAddress(address);
}

const privateNetworks = new BlockList();
for (const [network, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
] as const) {
  privateNetworks.addSubnet(network, prefix, 'ipv4');
}
privateNetworks.addAddress('::1', 'ipv6');
privateNetworks.addSubnet('fc00::', 7, 'ipv6');
privateNetworks.addSubnet('fe80::', 10, 'ipv6');

/** Whether an address is of a private network, of this machine or of its link. */
export function isPrivate(address: string): boolean {
  return privateNetworks.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}
