import { isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import { tunnelConnector } from '../network/proxy-connector.ts';
import { isLoopback } from '../network/proxy-rules.ts';
import type { ProxyAddress } from '../util/proxy-address.ts';
import type { CheckedTarget } from './check-target.ts';
import { isDeniedAddress } from './denied-address.ts';
import { EgressFailure } from './egress-failure.ts';

/**
 * Connects to the checked addresses of a target and to nothing else, whatever its name stands for by now; server name and
 * certificate are still those of the name (docs/spec/egress.md#connections).
 * @param timeout Milliseconds.
 * @param proxy Asked for the first of the addresses; not where that is this machine.
 */
export function pinnedConnector(
  { url, addresses }: CheckedTarget,
  timeout: number,
  proxy?: ProxyAddress,
): buildConnector.connector {
  const [first = ''] = addresses;
  if (proxy !== undefined && !isLoopback(first)) {
    const address = isIP(first) === 6 ? `[${first}]` : first;
    const port = url.port || (url.protocol === 'https:' ? 443 : 80);
    return tunnelConnector(buildConnector, { proxy, timeout, authority: `${address}:${port}` });
  }
  const connect = buildConnector({ lookup: pinnedLookup(addresses), timeout, allowH2: false });
  return (options, callback) => {
    connect(options, (...result) => {
      const [error, socket] = result;
      if (error !== null) return callback(error, null);
      if (isAmong(addresses, socket)) return callback(null, socket);
      socket.destroy();
      callback(
        new EgressFailure('refused', 'The connection led to another address than the checked one.'),
        null,
      );
    });
  };
}

function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    const family = options.family === 4 || options.family === 6 ? options.family : undefined;
    const fitting = family === undefined ? all : all.filter((entry) => entry.family === family);
    const [first] = fitting;
    if (first === undefined) return callback(new Error('no address of this family'), '', 0);
    if (options.all === true) callback(null, [...fitting]);
    else callback(null, first.address, first.family);
  };
}

/** Whether a socket's peer is one of the addresses; spellings may differ, so a public one passes where a text does not match. */
function isAmong(addresses: readonly string[], { remoteAddress }: Socket): boolean {
  if (remoteAddress === undefined) return false;
  return addresses.includes(remoteAddress) || (isIP(remoteAddress) === 6 && !isDeniedAddress(remoteAddress));
}
