/** What says where browsers reach the server. */
export interface WayRules {
  readonly trustProxy: boolean;
  /** `server.public_url`: without query, fragment and a slash at its end. */
  readonly publicUrl?: string | undefined;
}

/** The address that the operator names; undefined where browsers decide it. */
export function publicAddress({ publicUrl }: WayRules): URL | undefined {
  return publicUrl === undefined ? undefined : new URL(publicUrl);
}

/**
 * The path that a proxy takes away before it asks this server; empty where it takes none. Only what can stand in an
 * address as it is.
 * @param forwarded What `X-Forwarded-Prefix` says.
 */
export function basePath(rules: WayRules, forwarded: string | readonly string[] | undefined): string {
  const named = publicAddress(rules)?.pathname ?? (rules.trustProxy ? forwarded : undefined);
  const text = typeof named === 'string' ? named.replace(/\/+$/, '') : '';
  return /^(\/[\w.~-]+)+$/.test(text) ? text : '';
}
