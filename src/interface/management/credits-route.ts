import { sumUsd, usdToNumber } from '../../core/money.ts';
import { readBalance } from '../../operations/credits/read-credits.ts';
import type { ManagementHandler } from './management-handler.ts';

/** `GET /credits`: everything ever booked to the account, and everything ever charged to it. */
export const describeCredits: ManagementHandler = async (_call, actor, services) => {
  const { balance, spentTotal } = (await readBalance(actor, {}, services)).balance;
  return {
    data: {
      total_credits: usdToNumber(sumUsd(balance, spentTotal)),
      total_usage: usdToNumber(spentTotal),
    },
  };
};
