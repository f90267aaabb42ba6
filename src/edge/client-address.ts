import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** What is known of where a request came from. */
export interface Arrival {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string };
}

/**
 * The address of a request's client, for the log: that of the connection or, where a proxy in front is trusted, the
 * last one in `X-Forwarded-For` that is none of a private network. What stands before it anybody may have written.
 * Undefined once the connection is gone.
 */
export function clientAddress({ headers, socket }: Arrival, trustProxy: boolean): string | undefined {
  const peer = plainAddress(socket.remoteAddress ?? '');
  if (!trustProxy) return peer;
  const passedOn = String(headers['x-forwarded-for'] ?? '').split(',');
  let nearest = peer;
  for (const named of passedOn.reverse()) {
    const address = plainAddress(named);
    // From a word that is no address on, nothing is known.
    if (address === undefined) return nearest;
    nearest = address;
    if (!isPrivate(address)) return address;
  }
  return nearest;
}

/** An address without the port, the brackets or the prefix it may come with; undefined when it is none. */
export function plainAddress(text: string): string | undefined {
  const address = text
    .trim()
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/i, '');
  return isIP(address) === 0 ? undefined : address;
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
