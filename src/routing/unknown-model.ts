import type { Catalogue } from '../core/catalogue.ts';
import type { HeadgateError } from '../core/errors.ts';
import { type AnyRequest, asSpelled } from '../core/inference-request.ts';
import { isVisible } from '../core/resolve-slug.ts';
import { unavailable } from '../core/unavailable.ts';
import { shownText } from '../util/shown-text.ts';

const suggestionCount = 3;

/**
 * 400 for an unknown slug, with the nearest names of the catalogue (docs/spec/errors.md#availability).
 * @param accountId The caller's account: private models of others are not suggested.
 */
export function unknownModel(
  slug: string,
  request: AnyRequest,
  catalogue: Catalogue,
  accountId: string | undefined,
): HeadgateError {
  const suggestions = nearestModels(slug, catalogue, accountId);
  const hint = suggestions.length === 0 ? '' : ` Did you mean ${suggestions.join(' or ')}?`;
  return unavailable(request, {
    error: 'model_not_found',
    message: `The model "${shownText(asSpelled(slug, request))}" does not exist.${hint}`,
    facts: {
      code: 'model_not_found',
      ...(suggestions.length === 0 ? {} : { fallback_models: suggestions }),
    },
  });
}

/**
 * 404 for a retired model, with its successor, and for a free variant that is no longer offered
 * (docs/spec/routing.md#variants, docs/spec/errors.md#availability).
 */
export function retiredModel(
  slug: string,
  { successor, wasFree }: { readonly successor?: string; readonly wasFree: boolean },
  request: AnyRequest,
): HeadgateError {
  const hint = successor === undefined ? '' : ` Use ${successor} instead.`;
  const what = wasFree
    ? `The free variant "${shownText(asSpelled(slug, request))}" is not offered any more.`
    : `"${shownText(asSpelled(slug, request))}" was retired.`;
  return unavailable(request, {
    error: 'no_endpoints',
    message: what + hint,
    facts: {
      code: wasFree ? 'free_variant_ended' : 'model_deprecated',
      ...(successor === undefined ? {} : { fallback_models: [successor] }),
    },
  });
}

/** 404 for a latest alias of a family without any model in service (docs/spec/routing.md#latest-aliases). */
export function emptyFamily(slug: string, request: AnyRequest): HeadgateError {
  return unavailable(request, {
    error: 'no_endpoints',
    message: `No model is left that "${shownText(asSpelled(slug, request))}" could stand for.`,
    facts: { code: 'no_endpoints' },
  });
}

/** 404 for a router that has nothing to choose from (docs/spec/routers.md#nothing-left). */
export function emptyRouter(slug: string, request: AnyRequest, why?: string): HeadgateError {
  const reason = why ?? 'is not set up on this server';
  return unavailable(request, {
    error: 'no_endpoints',
    message: `The router "${shownText(asSpelled(slug, request))}" ${reason}.`,
    facts: { code: 'no_endpoints' },
  });
}

/** Models with the same name apart from author or variant, else those that contain the requested text. */
function nearestModels(slug: string, catalogue: Catalogue, accountId: string | undefined): readonly string[] {
  const wanted = bareName(slug);
  if (wanted === '') return [];
  const ids: string[] = [];
  for (const [id, model] of catalogue.models) {
    if (model.hidden !== true && isVisible(model, accountId)) ids.push(id);
  }
  const exact = ids.filter((id) => bareName(id) === wanted);
  const found = exact.length > 0 ? exact : ids.filter((id) => id.toLowerCase().includes(wanted));
  return found.slice(0, suggestionCount);
}

function bareName(slug: string): string {
  const name = slug.slice(slug.lastIndexOf('/') + 1).toLowerCase();
  return name.split(':', 1)[0] ?? '';
}
