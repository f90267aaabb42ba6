/** The parameters of a query, decoded. One that is given several times has a list. */
export type Query = Readonly<Record<string, string | readonly string[]>>;

const noQuery: Query = {};

/** The query of a request's target, such as `/models?sort=newest`. */
export function parseQuery(target: string): Query {
  const start = target.indexOf('?');
  if (start === -1) return noQuery;
  // Any name may be in a query, `__proto__` too.
  const query: Record<string, string | readonly string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(target.slice(start))) {
    const before = query[name];
    query[name] = before === undefined ? value : [before, value].flat();
  }
  return query;
}
