import { type HeadgateError, toHeadgateError } from '../core/errors.ts';
import { findModels, planRoute } from '../routing/plan.ts';
import type { RoutePlan } from '../routing/route-plan.ts';
import { admitAccount, admitKey, isPrepaid } from '../settlement/admit.ts';
import { isFreeEverywhere, isFreeVariant } from '../settlement/free-of-charge.ts';
import { Spending } from '../settlement/spending.ts';
import { RefusedCall } from './refused-call.ts';
import type { InferenceCall, Services } from './services.ts';

/** A request that may be sent: where to, and what it may spend. */
export interface Admission {
  readonly plan: RoutePlan;
  readonly spending: Spending;
}

/**
 * Everything between a valid body and the first provider call, in the order of accounts-and-limits 3: debt, key
 * limit, free requests, routing, affordability and in-flight budget.
 * @throws RefusedCall of what failed first. Whoever gets an admission settles its spending.
 */
export async function admit(call: InferenceCall, services: Services): Promise<Admission> {
  try {
    const { request, caller } = call;
    const catalogue = services.catalogue();
    const models = findModels(request, catalogue);
    admitAccount(caller);
    if (!models.every(isFreeEverywhere)) admitKey(caller);
    const spending = new Spending(call, services);
    // Among models of both kinds free ones count when they are tried.
    if (models.every(isFreeVariant)) refuse(await spending.countFree());
    const policy = { pricedOnly: isPrepaid(caller.account) };
    const plan = planRoute(request, policy, catalogue, services.upstreams);
    const [first] = plan.targets;
    if (first !== undefined && !isFreeVariant(first.model)) refuse(await spending.admit(first));
    return { plan, spending };
  } catch (thrown) {
    throw new RefusedCall(toHeadgateError(thrown));
  }
}

function refuse(refusal: HeadgateError | undefined): void {
  if (refusal !== undefined) throw refusal;
}
