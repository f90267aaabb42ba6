/**
 * Whether an address lies in a domain of a list: a host with all below it, also written `*.host`, perhaps with a path
 * (docs/spec/server-tools.md#domains).
 */
export function inDomains(address: string, domains: readonly string[]): boolean {
  if (domains.length === 0 || !URL.canParse(address)) return false;
  const { hostname, pathname } = new URL(address);
  return domains.some((domain) => {
    const [host = '', ...path] = bareDomain(domain).split('/');
    const isHost = hostname === host || hostname.endsWith(`.${host}`);
    if (!isHost || path.length === 0) return isHost;
    const prefix = `/${path.join('/')}`.replace(/\/$/, '');
    return pathname === prefix || pathname.startsWith(`${prefix}/`);
  });
}

/** An entry of a list without scheme and star, in small letters where these do not matter. */
export function bareDomain(domain: string): string {
  const [host = '', ...path] = domain
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/^\*\./, '')
    .split('/');
  return [host.toLowerCase(), ...path].join('/');
}

/** A query that names its sites, for engines that have no lists. */
export function withSites(query: string, allowed: readonly string[], excluded: readonly string[]): string {
  const wanted = allowed.map((domain) => `site:${bareDomain(domain)}`).join(' OR ');
  const unwanted = excluded.map((domain) => `-site:${bareDomain(domain)}`);
  const sites = allowed.length > 1 ? `(${wanted})` : wanted;
  return [query, sites, ...unwanted].filter((part) => part !== '').join(' ');
}
