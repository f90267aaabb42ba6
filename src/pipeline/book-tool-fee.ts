import type { AnswerBill } from '../core/answer-part.ts';
import type { Fee } from '../core/fee.ts';
import { createGenerationId } from '../core/ids.ts';
import { zeroUsd } from '../core/money.ts';
import type { Generation } from '../ports/generations.ts';
import type { BracketServices } from '../settlement/bracket.ts';
import type { HeldFees } from '../settlement/held-fees.ts';
import type { InferenceCall } from './services.ts';

/**
 * Books what a tool or a plugin of the gateway costs beside the turns, as a record of its own that refers to the request
 * (docs/spec/server-tools.md#fees). Resolves when the charge is durable, with what the request owes for it.
 * @param held What fees hold of limits; undefined where nothing limits the caller.
 * @throws HeadgateError `service_unavailable` when the books cannot be written.
 */
export async function bookToolFee(
  { type, amount, searches, implausible }: Fee,
  call: InferenceCall,
  { ledger, charges, clock, onSettled }: BracketServices,
  held: HeldFees | undefined,
): Promise<AnswerBill> {
  const usage = searches === undefined ? {} : { webSearches: searches };
  const cost = { total: amount, input: zeroUsd, output: zeroUsd };
  const bill: AnswerBill = { usage, cost, unpriced: false, charge: amount, isByok: false };
  // A fee of zero is not booked; the turn that made the call reports the call.
  if (amount === zeroUsd) return bill;
  const { caller, request, requestId = call.generationId, attribution } = call;
  const now = clock.now();
  const generation: Generation = {
    id: createGenerationId(now),
    requestId,
    accountId: caller.account.id,
    keyHash: caller.key.hash,
    workspaceId: caller.key.workspaceId,
    createdAt: now,
    settledAt: now,
    requestedModel: type,
    model: type,
    sessionId: request.sessionId,
    externalUser: request.user,
    ...attribution,
    isByok: false,
    streamed: false,
    cancelled: false,
    usage,
    usageEstimated: implausible !== undefined,
    implausibleUsage: implausible,
    insured: false,
    cost: amount,
    listCost: amount,
    attempts: [],
  };
  const over = charges.begin(generation);
  let failure: unknown;
  try {
    await ledger.settle(generation);
  } catch (thrown) {
    failure = thrown;
  }
  over(failure === undefined ? generation : undefined);
  // In the same turn, so that whoever is admitted next meets the fee once.
  held?.charged(amount, now);
  onSettled(generation, caller, failure);
  if (failure !== undefined) throw failure;
  return bill;
}
