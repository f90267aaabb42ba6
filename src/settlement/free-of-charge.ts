import type { Endpoint, Model, Price } from '../core/catalogue.ts';

/** Whether a model id names a free variant, which is counted instead of charged (docs/spec/money.md#free-variants). */
export function isFreeVariant(model: Pick<Model, 'id'>): boolean {
  return model.id.endsWith(':free');
}

/** Whether calling an endpoint costs the caller nothing: a free variant, or one whose every price is zero. */
export function isFreeOfCharge(model: Pick<Model, 'id'>, endpoint: Endpoint): boolean {
  return isFreeVariant(model) || (endpoint.price !== undefined && isZero(endpoint.price));
}

/** Whether a model costs nothing wherever it is served. */
export function isFreeEverywhere(model: Model): boolean {
  return model.endpoints.every((endpoint) => isFreeOfCharge(model, endpoint));
}

function isZero(price: Price): boolean {
  // Most prices end here, at every request.
  if (price.prompt !== 0n || price.completion !== 0n) return false;
  if (price.overrides !== undefined && price.overrides.length > 0) return false;
  return Object.values(price).every((amount) => typeof amount !== 'bigint' || amount === 0n);
}
