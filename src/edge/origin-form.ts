const slash = 0x2f;

/**
 * A request's target as most clients send it, its path and query. Clients of proxies name scheme and host before them,
 * and every server has to take that (RFC 9112 section 3.2.2). Any other form is left as it is.
 */
export function originForm(target: string): string {
  if (target.charCodeAt(0) === slash) return target;
  const authority = /^https?:\/\/[^/?#]+/i.exec(target)?.[0];
  if (authority === undefined) return target;
  const rest = target.slice(authority.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
