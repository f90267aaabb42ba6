import type { ConnectionFailure } from '../../core/connection-failures.ts';

/** Codes of the runtime and of its TLS, what they mean, and how to say it. */
const causes: readonly (readonly [RegExp, ConnectionFailure, string])[] = [
  [/^HEADGATE_PROXY$/, 'proxy_failed', 'its proxy could not be reached or let nothing through'],
  [/^(ENOTFOUND|EAI_\w+)$/, 'dns_failed', 'its name could not be resolved'],
  [/^ECONNREFUSED$/, 'connection_refused', 'the connection was refused'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'connection_reset', 'the connection was reset'],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'connect_timeout', 'no connection was made in time'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EHOSTDOWN|ENETDOWN)$/, 'unreachable', 'there is no way to it'],
  [
    /^(CERT_\w+|UNABLE_TO_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|ERR_(TLS|SSL)_\w+|HOSTNAME_MISMATCH|EPROTO)$/,
    'certificate_refused',
    'its certificate or TLS was not accepted',
  ],
];

/** Causes within causes, and errors of several addresses, that are looked at. */
const mostLooked = 20;

/** Why a connection broke, as a class and in words; undefined where the runtime does not say. */
export function connectionCause(
  thrown: unknown,
): { readonly code: ConnectionFailure; readonly words: string } | undefined {
  const open: unknown[] = [thrown];
  for (let looked = 0; looked < mostLooked && open.length > 0; looked += 1) {
    const error = open.shift();
    if (!(error instanceof Error)) continue;
    const code = 'code' in error ? String(error.code) : '';
    const found = causes.find(([pattern]) => pattern.test(code));
    if (found !== undefined) return { code: found[1], words: found[2] };
    open.push(error.cause);
    if (error instanceof AggregateError) open.push(...error.errors.slice(0, mostLooked));
  }
  return undefined;
}
