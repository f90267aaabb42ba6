import type { Model } from '../core/catalogue.ts';
import type { Caller } from '../settlement/admit.ts';
import type { Services } from './services.ts';

/** Whether some endpoint of a model may serve a caller, by what the account and its operator decided. */
export function isUsable(_model: Model, _caller: Caller, _services: Services): boolean {
  return true;
}
