import type { Catalogue, Model, ModelAlias } from '../core/catalogue.ts';
import { familyOf } from '../core/model-family.ts';

/**
 * A catalogue at a moment: models whose retirement date has come are retired, and latest aliases skip them.
 * @param now Unix milliseconds.
 */
export function catalogueAt(catalogue: Catalogue, now: number): Catalogue {
  const models = new Map<string, Model>();
  for (const [id, model] of catalogue.models) models.set(id, isDue(model, now) ? retire(model) : model);
  const legacy = [...(catalogue.aliases ?? [])].filter(([, alias]) => alias.kind === 'legacy');
  const aliases = new Map([...latestAliases(models.values()), ...legacy]);
  return Object.freeze({ models, providers: catalogue.providers, aliases });
}

/** The catalogue of a server while time passes; recomputed only when a model's retirement date has come. */
export class CurrentCatalogue {
  #source: Catalogue | undefined;
  #catalogue: Catalogue | undefined;
  #until = 0;

  /**
   * @param source The configured catalogue; a new one after a change of the configuration.
   * @param now Unix milliseconds.
   */
  at(source: Catalogue, now: number): Catalogue {
    if (this.#catalogue !== undefined && source === this.#source && now < this.#until) return this.#catalogue;
    const days = [...source.models.values()].flatMap((model) =>
      isDue(model, now) ? [] : (dayOf(model) ?? []),
    );
    this.#source = source;
    this.#until = Math.min(Number.POSITIVE_INFINITY, ...days);
    this.#catalogue = catalogueAt(source, now);
    return this.#catalogue;
  }
}

function retire(model: Model): Model {
  return Object.freeze({ ...model, retired: Object.freeze({ successor: model.successor }) });
}

function isDue(model: Model, now: number): boolean {
  const day = dayOf(model);
  return model.retired === undefined && day !== undefined && day <= now;
}

function dayOf({ expirationDate }: Model): number | undefined {
  return expirationDate === undefined ? undefined : Date.parse(`${expirationDate}T00:00:00Z`);
}

/**
 * `~author/family-latest` for each family (docs/spec/routing.md#latest-aliases): its newest model by `created` that is
 * listed and can be served; of equals the later entry. Variants and retired models never count; private ones only where
 * a family has no other. A family without any model keeps its alias, which then resolves to nothing.
 */
function latestAliases(models: Iterable<Model>): ReadonlyMap<string, ModelAlias> {
  const newest = new Map<string, Model | undefined>();
  for (const model of models) {
    const family = familyOf(model)?.toLowerCase();
    if (family === undefined) continue;
    const known = newest.get(family);
    newest.set(family, isEligible(model) && isNewer(model, known) ? model : known);
  }
  const aliases = [...newest].map(
    ([family, model]) => [`~${family}-latest`, Object.freeze({ kind: 'latest', target: model?.id })] as const,
  );
  return new Map(aliases);
}

function isEligible({ id, hidden, retired, endpoints }: Model): boolean {
  const inService = endpoints.some(({ status }) => status === undefined);
  return hidden !== true && retired === undefined && inService && !id.includes(':');
}

function isNewer(model: Model, known: Model | undefined): boolean {
  if (known === undefined) return true;
  const [isPublic, knownIsPublic] = [model.accounts === undefined, known.accounts === undefined];
  return isPublic === knownIsPublic ? model.created >= known.created : isPublic;
}
