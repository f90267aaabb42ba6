import { zeroUsd } from '../core/money.ts';
import { admitKey, isPrepaid } from '../settlement/admit.ts';
import { isFreeEverywhere } from '../settlement/free-of-charge.ts';
import { readOnlyServices } from '../settlement/read-only-services.ts';
import { noCredits } from '../settlement/refusals.ts';
import { Spending } from '../settlement/spending.ts';
import { countsAtOnce } from './admission.ts';
import { judgeCaller } from './judge.ts';
import { RefusedCall } from './refused-call.ts';
import type { InferenceCall, Services } from './services.ts';

/**
 * Judges what a caller may spend before anything is spent on preparing a request: debt, key limit, free requests, and a
 * balance that is used up. Commits to nothing.
 * @param costs Whether something is about to be charged, whatever serves the request.
 * @throws RefusedCall when the caller may spend nothing.
 */
export async function judgeMeans(call: InferenceCall, services: Services, costs = false): Promise<void> {
  const judged = judgeCaller(call, services);
  if (judged.refusal !== undefined) throw new RefusedCall(judged.refusal);
  // A key past its limit may use free models and own credentials, but not what is charged all the same.
  if (costs) admitKey(call.caller);
  if (countsAtOnce(judged)) {
    const tooMany = await new Spending(call, readOnlyServices(services)).countFree();
    if (tooMany !== undefined) throw new RefusedCall(tooMany);
  }
  const { account, funds } = call.caller;
  const mayBeFree =
    !costs &&
    ((judged.policy.credentials?.length ?? 0) > 0 ||
      judged.candidates.some(({ model }) => isFreeEverywhere(model)));
  if (isPrepaid(account) && funds.balance <= zeroUsd && !mayBeFree) {
    throw new RefusedCall(noCredits());
  }
}
