import type { Catalogue, Model } from './catalogue.ts';
import { type RouterId, routerNamed } from './router-names.ts';

/** Variants that change how any model is routed instead of naming another row (docs/spec/routing.md#variants). */
const dynamicVariants = ['nitro', 'floor', 'exacto', 'online'] as const;

/** Limit of a slug in characters; a longer text is not parsed because it could have millions of variants. */
const longestSlug = 512;

/** A variant that changes routing. */
export type DynamicVariant = (typeof dynamicVariants)[number];

/** The result of resolving a slug (docs/spec/routing.md#slugs). */
export type SlugResolution =
  | {
      readonly outcome: 'model';
      readonly model: Model;
      /** How the slug named it. */
      readonly by: 'name' | 'legacy' | 'latest';
      readonly variants: readonly DynamicVariant[];
    }
  /**
   * Retired, or a free variant that is no longer offered. The successor is the model's or, for a free variant, the
   * paid one.
   */
  | {
      readonly outcome: 'retired';
      readonly model: Model;
      readonly successor?: string;
      readonly wasFree: boolean;
    }
  /** A latest alias of a family that has no model left. */
  | { readonly outcome: 'empty_family' }
  /** A model that chooses models. */
  | { readonly outcome: 'router'; readonly router: RouterId; readonly variants: readonly DynamicVariant[] }
  /** Variants that exclude each other. */
  | { readonly outcome: 'contradictory'; readonly variants: readonly string[] }
  | { readonly outcome: 'unknown' };

/**
 * Resolves a slug, in the order of docs/spec/routing.md#slugs: legacy alias, latest alias, router, row of its own, row with
 * dynamic variants. Case does not matter. Models that the account may not see count as unknown. Presets are resolved
 * before.
 * @param accountId Whose private models count; undefined means none.
 */
export function resolveSlug(slug: string, catalogue: Catalogue, accountId?: string): SlugResolution {
  if (slug.length > longestSlug) return { outcome: 'unknown' };
  const lower = slug.toLowerCase();
  const router = routerNamed(lower);
  if (router !== undefined && catalogue.aliases?.has(lower) !== true) {
    return { outcome: 'router', router, variants: [] };
  }
  const whole = findRow(lower, catalogue);
  if (whole !== undefined) return visible(whole, [], accountId);
  const [base = '', ...written] = lower.split(':');
  const variants = written.filter(isDynamic);
  const names = written.filter((variant) => !isDynamic(variant));
  const sorts = variants.filter((variant) => variant !== 'online');
  if (names.length > 1 || sorts.length > 1 || new Set(written).size < written.length) {
    return { outcome: 'contradictory', variants: written };
  }
  const varied = names.length === 0 ? routerNamed(base) : undefined;
  if (varied !== undefined) return { outcome: 'router', router: varied, variants };
  const row = findRow([base, ...names].join(':'), catalogue) ?? findVariant(base, names[0], catalogue);
  return row === undefined ? { outcome: 'unknown' } : visible(row, variants, accountId);
}

/** Whether an account, or anybody, may see a model or an endpoint. */
export function isVisible({ accounts }: Pick<Model, 'accounts'>, accountId: string | undefined): boolean {
  return accounts === undefined || (accountId !== undefined && accounts.has(accountId));
}

interface FoundRow {
  /** Undefined for a latest alias without a target. */
  readonly model: Model | undefined;
  readonly by: 'name' | 'legacy' | 'latest';
}

function findRow(slug: string, catalogue: Catalogue): FoundRow | undefined {
  const alias = catalogue.aliases?.get(slug);
  if (alias !== undefined) {
    const model = alias.target === undefined ? undefined : catalogue.models.get(alias.target);
    return { model, by: alias.kind };
  }
  const model = catalogue.models.get(slug) ?? indexOf(catalogue).get(slug);
  return model && { model, by: 'name' };
}

/** A static variant of the model that an alias or a canonical slug resolves to. */
function findVariant(base: string, variant: string | undefined, catalogue: Catalogue): FoundRow | undefined {
  if (variant === undefined) return undefined;
  const row = findRow(base, catalogue);
  if (row?.model === undefined) return undefined;
  const model = findRow(`${row.model.id.toLowerCase()}:${variant}`, catalogue)?.model;
  return model && { model, by: row.by };
}

function visible(
  { model, by }: FoundRow,
  variants: readonly DynamicVariant[],
  accountId: string | undefined,
): SlugResolution {
  if (model === undefined) return { outcome: 'empty_family' };
  if (!isVisible(model, accountId)) return { outcome: 'unknown' };
  if (model.retired === undefined) return { outcome: 'model', model, by, variants };
  const wasFree = model.id.endsWith(':free');
  const successor = model.retired.successor ?? (wasFree ? model.id.slice(0, -':free'.length) : undefined);
  return { outcome: 'retired', model, successor, wasFree };
}

function isDynamic(variant: string): variant is DynamicVariant {
  return (dynamicVariants as readonly string[]).includes(variant);
}

const indices = new WeakMap<Catalogue, ReadonlyMap<string, Model>>();

/** Models by id and canonical slug in lowercase; ids win, then models that are not variants. */
function indexOf(catalogue: Catalogue): ReadonlyMap<string, Model> {
  const known = indices.get(catalogue);
  if (known !== undefined) return known;
  const index = new Map<string, Model>();
  const models = [...catalogue.models.values()];
  const isVariant = ({ id }: Model) => id.includes(':');
  // Rows of variants may state the canonical slug of their base model.
  const lastWins = [...models.filter(isVariant), ...models.filter((model) => !isVariant(model))];
  for (const model of lastWins) index.set(model.canonicalSlug.toLowerCase(), model);
  for (const model of models) index.set(model.id.toLowerCase(), model);
  indices.set(catalogue, index);
  return index;
}
