import type { Catalogue, Endpoint, Model } from '../../core/catalogue.ts';
import { isVisible } from '../../core/resolve-slug.ts';
import { endpointParameters } from '../../pipeline/endpoint-parameters.ts';
import type { UpstreamRegistry } from '../../ports/upstream.ts';
import type { ListedModel } from './describe-model.ts';

/**
 * Every row of the list of models an account may see (docs/spec/catalogue.md#models): models that are neither hidden
 * nor retired, then what latest aliases stand for.
 * @param accountId Whose private models are shown too; undefined is nobody's.
 */
export function listModels(
  catalogue: Catalogue,
  upstreams: UpstreamRegistry,
  accountId: string | undefined,
): readonly ListedModel[] {
  const rows: ListedModel[] = [];
  const known = new Map<string, ListedModel>();
  for (const model of catalogue.models.values()) {
    if (model.hidden === true || model.retired !== undefined || !isVisible(model, accountId)) continue;
    const row = listModel(model, upstreams, accountId);
    known.set(model.id, row);
    rows.push(row);
  }
  for (const [slug, { kind, target }] of catalogue.aliases ?? []) {
    const row = kind === 'latest' && target !== undefined ? known.get(target) : undefined;
    if (row !== undefined) rows.push({ ...row, alias: slug, isLatest: true });
  }
  return rows;
}

/** One model as a row, with the endpoints an account may know of. */
export function listModel(
  model: Model,
  upstreams: UpstreamRegistry,
  accountId: string | undefined,
): ListedModel {
  const endpoints = endpointsShown(model, accountId);
  const names = new Set(endpoints.flatMap((endpoint) => [...endpointParameters(endpoint, model, upstreams)]));
  return { model, endpoints, parameters: [...names].toSorted() };
}

/** Those in service, the default tier first, and the account's own private ones before all. */
function endpointsShown({ endpoints }: Model, accountId: string | undefined): readonly Endpoint[] {
  const shown = endpoints.filter(
    ({ status, accounts }) =>
      status !== 'hidden' && status !== 'disabled' && isVisible({ accounts }, accountId),
  );
  const rank = ({ status, tier, accounts }: Endpoint) =>
    (status === undefined ? 0 : 4) + (tier === 'default' ? 0 : 2) + (accounts === undefined ? 1 : 0);
  return shown.toSorted((left, right) => rank(left) - rank(right));
}
