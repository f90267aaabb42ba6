import { sumUsd, usdToNumber } from '../../core/money.ts';
import type { AppServices } from '../../edge/app-services.ts';
import type { RouteCall } from '../../edge/route.ts';
import type { Caller } from '../../settlement/caller.ts';
import type { JsonObject } from '../../util/json.ts';

/** `GET /credits`: everything ever booked to the account, and everything ever charged to it. */
export async function describeCredits(
  _request: RouteCall,
  { account }: Caller,
  services: AppServices,
): Promise<JsonObject> {
  const { balance, spentTotal } = await services.storage.ledger.balance(account.id);
  return {
    data: {
      total_credits: usdToNumber(sumUsd(balance, spentTotal)),
      total_usage: usdToNumber(spentTotal),
    },
  };
}
