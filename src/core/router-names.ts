/** The slugs that choose models instead of naming one (docs/spec/routers.md#slugs). */
export const routerIds = [
  'service/auto',
  'service/auto-beta',
  'service/free',
  'service/pareto-code',
  'service/fusion',
  'service/fusion-flash',
  'service/bodybuilder',
] as const;

/** The slug of a router, without variants. */
export type RouterId = (typeof routerIds)[number];

/** What reports call the kinds of routers. */
export type RouterStrategy = 'auto' | 'free' | 'pareto' | 'bodybuilder' | 'fusion';

/** How a router's choices are reported. */
export const routerStrategies: Readonly<Record<RouterId, RouterStrategy>> = {
  'service/auto': 'auto',
  'service/auto-beta': 'auto',
  'service/free': 'free',
  'service/pareto-code': 'pareto',
  'service/fusion': 'fusion',
  'service/fusion-flash': 'fusion',
  'service/bodybuilder': 'bodybuilder',
};

const routerPrefix = 'service/';

/** The router that a slug in lowercase without variants names; undefined for every other slug. */
export function routerNamed(slug: string): RouterId | undefined {
  if (!slug.startsWith(routerPrefix)) return undefined;
  return routerIds.find((id) => id === slug);
}

/** Whether some slug of a request may name a router. Costs next to nothing, because every request is asked. */
export function mayNameRouter({ models }: { readonly models: readonly string[] }): boolean {
  for (const slug of models) {
    if (slug.slice(0, routerPrefix.length).toLowerCase() === routerPrefix) return true;
  }
  return false;
}
