/** Why a provider could not be reached or did not answer, as a class (docs/spec/routing.md#outcomes). */
export const connectionFailures = [
  'dns_failed',
  'connection_refused',
  'connection_reset',
  'certificate_refused',
  'proxy_failed',
  'unreachable',
  'connect_timeout',
  'first_event_timeout',
  'idle_timeout',
  'total_timeout',
] as const;

export type ConnectionFailure = (typeof connectionFailures)[number];

/** Whether the code of a failed attempt is the gateway's own class rather than a provider's word. */
export function isConnectionFailure(code: string | undefined): code is ConnectionFailure {
  return connectionFailures.some((known) => known === code);
}
