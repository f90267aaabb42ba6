import type { Catalogue } from '../../core/catalogue.ts';
import type { HeadgateError } from '../../core/errors.ts';
import { resolveSlug, type SlugResolution } from '../../core/resolve-slug.ts';
import { type Unavailability, unavailable } from '../../core/unavailable.ts';
import { shownText } from '../../util/shown-text.ts';

/** A model a path names, and how it named it. */
export type NamedModel = Extract<SlugResolution, { readonly outcome: 'model' }>;

/**
 * The model at a path of the interface; aliases and variants are fine (docs/spec/catalogue.md#listings).
 * @throws HeadgateError `not_found` with the reason in `availability`: unknown, retired, or an ended free variant.
 */
export function findModel(slug: string, catalogue: Catalogue, accountId: string | undefined): NamedModel {
  const found = resolveSlug(slug, catalogue, accountId);
  switch (found.outcome) {
    case 'model':
      return found;
    case 'retired': {
      const { successor, wasFree } = found;
      const advice = successor === undefined ? '' : ` Use "${successor}" instead.`;
      const what = wasFree
        ? `The free offer "${found.model.id}" has ended.`
        : `"${found.model.id}" is retired.`;
      throw notFound(slug, what + advice, {
        code: wasFree ? 'free_variant_ended' : 'model_deprecated',
        ...(successor === undefined ? {} : { fallback_models: [successor] }),
      });
    }
    case 'empty_family':
      throw notFound(slug, `The family of "${shownText(slug)}" has no model left.`, { code: 'no_endpoints' });
    case 'contradictory':
      throw notFound(slug, `The variants of "${shownText(slug)}" exclude each other.`, {
        code: 'model_not_found',
      });
    case 'router':
      throw routerNotSetUp(slug);
    case 'unknown':
      throw notFound(slug, `The model "${shownText(slug)}" does not exist.`, { code: 'model_not_found' });
  }
}

/** 404 for a router that has nothing to choose from. */
export function routerNotSetUp(slug: string): HeadgateError {
  return notFound(slug, `The router "${shownText(slug)}" has no model to choose from on this server.`, {
    code: 'no_endpoints',
  });
}

function notFound(slug: string, message: string, facts: Unavailability['facts']): HeadgateError {
  return unavailable({ models: [slug] }, { error: 'not_found', message, facts });
}
