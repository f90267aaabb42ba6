import type { Catalogue } from '../../core/catalogue.ts';
import { resolveSlug } from '../../core/resolve-slug.ts';
import type { RoutingRules } from '../../core/routing-rules.ts';

/** Models that settings of routers name and the catalogue does not have, so that they have no effect. */
export function routerNotes({ auto, bodybuilder }: RoutingRules, catalogue: Catalogue): readonly string[] {
  const named: readonly (readonly [setting: string, slug: string | undefined])[] = [
    ...auto.defaultModels.map((slug) => ['routing.auto.default_models', slug] as const),
    ...Object.entries(auto.priors).flatMap(([task, shares]) =>
      Object.keys(shares).map((id) => [`routing.auto.priors.${task}`, id] as const),
    ),
    ['routing.auto.classifier_model', auto.classifierModel],
    ['routing.bodybuilder.model', bodybuilder.model],
  ];
  return named.flatMap(([setting, slug]) =>
    slug === undefined || resolveSlug(slug, catalogue).outcome === 'model'
      ? []
      : [`${setting}: "${slug}" is no model of the catalogue, so it has no effect`],
  );
}
