import { usdToNumber } from '../../core/money.ts';
import type { RunningHold } from '../../ports/in-flight-budget.ts';
import type { Balance, LedgerEntry } from '../../ports/ledger.ts';
import { readCallNote } from '../../settlement/lapsed-call.ts';
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

/** The credits of an account as JSON, in nano-USD. */
export function showExactBalance({ balance, purchasedTotal, spentTotal }: Balance) {
  return {
    balance_nano: String(balance),
    purchased_nano: String(purchasedTotal),
    spent_nano: String(spentTotal),
  };
}

/** An entry of the ledger as JSON, in nano-USD. */
export function showExactEntry(entry: LedgerEntry) {
  return {
    id: entry.id,
    account_id: entry.accountId,
    type: entry.type,
    amount_nano: String(entry.amount),
    fee_nano: String(entry.fee),
    counts_as_purchase: entry.countsAsPurchase,
    expires_at: isoTimeOrNull(entry.expiresAt),
    external_ref: entry.externalRef,
    related_id: entry.relatedId,
    note: entry.note,
    created_by: entry.createdBy,
    created_at: isoTime(entry.createdAt),
  };
}

/** The hold of a running request as JSON; what its note says is null where another version wrote it. */
export function showHold({ requestId, amount, leaseLeft, note }: RunningHold) {
  const call = note === undefined ? undefined : readCallNote(note);
  return {
    request_id: call?.requestId ?? requestId,
    amount_nano: String(amount),
    lease_ms: Math.max(0, Math.round(leaseLeft)),
    key_hash: call?.keyHash ?? null,
    model: call?.requestedModel ?? null,
    streamed: call?.streamed ?? null,
    began_at: isoTimeOrNull(call?.createdAt ?? null),
  };
}
