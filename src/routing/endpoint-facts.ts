import { blendedPrice } from '../core/blended-price.ts';
import type { Endpoint, Model } from '../core/catalogue.ts';
import type { CollectedEndpoint } from './route-plan.ts';

/** An endpoint with what every plan needs of it, computed once while its model is in the catalogue. */
export interface EndpointFacts extends CollectedEndpoint {
  /** Lowercase, because entries of `provider` are compared in lowercase. */
  readonly tag: string;
  /** The provider's slug and its name, lowercase. */
  readonly provider: string;
  readonly providerName: string;
  /** Its index in the model's list. */
  readonly place: number;
  /** `blendedPrice` of the list price. */
  readonly price: number;
}

const factsOfModels = new WeakMap<Model, readonly EndpointFacts[]>();

/** The facts of a model's endpoints, in its order; always the same objects for the same model. */
export function factsOf(model: Model): readonly EndpointFacts[] {
  let facts = factsOfModels.get(model);
  if (facts === undefined) {
    facts = model.endpoints.map((endpoint, place) => createFacts(model, endpoint, place));
    factsOfModels.set(model, facts);
  }
  return facts;
}

function createFacts(model: Model, endpoint: Endpoint, place: number): EndpointFacts {
  const { slug, name } = endpoint.provider;
  return {
    model,
    endpoint,
    tag: endpoint.tag.toLowerCase(),
    provider: slug.toLowerCase(),
    providerName: name.toLowerCase(),
    place,
    price: blendedPrice(endpoint.price),
  };
}
