import type { Catalogue } from '../../core/catalogue.ts';

/** The name of a provider that served once; its slug where it is not in service any more. */
export function providerName(slug: string, { providers }: Catalogue): string {
  return providers.get(slug)?.name ?? slug;
}

/** The lasting slug of a model that served once; its id where it is not in the catalogue any more. */
export function permanentSlug(id: string, { models }: Catalogue): string {
  return models.get(id)?.canonicalSlug ?? id;
}
