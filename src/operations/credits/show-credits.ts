import { usdToNumber } from '../../core/money.ts';
import type { Balance, LedgerEntry } from '../../ports/ledger.ts';
import { isoTime, isoTimeOrNull } from '../../util/iso-time.ts';
import type { JsonObject } from '../../util/json.ts';

/** The credits of an account as JSON, in USD. */
export function showBalance({ balance, purchasedTotal, spentTotal }: Balance): JsonObject {
  return {
    balance_usd: usdToNumber(balance),
    purchased_total_usd: usdToNumber(purchasedTotal),
    settled_spend_total_usd: usdToNumber(spentTotal),
  };
}

/** An entry of the ledger as JSON (docs/spec/money.md#ledger), in USD. */
export function showEntry(entry: LedgerEntry): JsonObject {
  return {
    id: entry.id,
    account_id: entry.accountId,
    type: entry.type,
    amount_usd: usdToNumber(entry.amount),
    fee_usd: usdToNumber(entry.fee),
    counts_as_purchase: entry.countsAsPurchase,
    expires_at: isoTimeOrNull(entry.expiresAt),
    external_ref: entry.externalRef,
    related_id: entry.relatedId,
    note: entry.note,
    created_by: entry.createdBy,
    created_at: isoTime(entry.createdAt),
  };
}
