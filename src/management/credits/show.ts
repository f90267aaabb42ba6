import { usdToNumber } from '../../core/money.ts';
import type { RunningHold } from '../../ports/in-flight-budget.ts';
import type { Balance, LedgerEntry } from '../../ports/ledger.ts';
import { readCallNote } from '../../settlement/lapsed-call.ts';
import { isoTime, isoTimeOrNull } from '../../util/iso-time.ts';
import type { JsonObject } from '../../util/json.ts';
import { choice, flag, integer, list, named, orNull, Type, text } from '../../util/json-schema.ts';
import { answerOf, closed, moment, nano, positiveNano } from '../parts.ts';

const maybe = Type.Optional;

const BalanceSchema = Type.Object({ balance_nano: nano, purchased_nano: nano, spent_nano: nano });

const LedgerEntrySchema = named(
  'LedgerEntry',
  Type.Object({
    id: text(),
    account_id: text(),
    type: choice('purchase', 'grant', 'refund', 'expiry', 'transfer', 'adjustment'),
    amount_nano: nano,
    fee_nano: nano,
    counts_as_purchase: flag(),
    expires_at: orNull(text()),
    external_ref: orNull(text()),
    related_id: orNull(text()),
    note: orNull(text()),
    created_by: orNull(text()),
    created_at: text(),
  }),
);

/** A part of the movements of an account, and its money now. */
export const LedgerPage = named(
  'LedgerPage',
  Type.Object({
    data: list(LedgerEntrySchema),
    next: orNull(text()),
    account: Type.Object({ id: text(), name: text(), billing_mode: text() }),
    balance: BalanceSchema,
  }),
);

/** The body of `POST /ledger`. */
export const BookCredits = named(
  'BookCredits',
  Type.Object(
    {
      type: choice('grant', 'purchase', 'refund'),
      amount_nano: positiveNano,
      ref: text({
        minLength: 1,
        maxLength: 200,
        description: 'Your reference: a second call with it and the same content changes nothing',
      }),
      account_id: maybe(text({ description: 'By default the account of the key' })),
      expires_at: maybe(orNull(moment)),
      note: maybe(orNull(text({ maxLength: 500 }))),
    },
    closed,
  ),
);

/** What came of a movement. */
export const BookedCreditsAnswer = answerOf(
  'BookedCredits',
  Type.Object({
    account_id: text(),
    booked: flag({ description: 'False for a reference that was booked before' }),
    balance: BalanceSchema,
  }),
);

const JobSchema = named(
  'Job',
  Type.Object({
    id: text(),
    kind: choice('ledger.verify'),
    state: choice('running', 'done', 'failed', 'lost'),
    done: integer({ description: 'Steps that are done' }),
    steps: integer(),
    result: orNull(
      Type.Object({
        differences: list(Type.Object({ subject: text(), kept_nano: nano, recomputed_nano: nano })),
        count: integer(),
      }),
    ),
    created_by: text(),
    created_at: text(),
    updated_at: text(),
  }),
);

/** A job. */
export const JobAnswer = answerOf('JobAnswer', JobSchema);

/** The job that began last; null without any. */
export const LatestJob = answerOf('LatestJob', orNull(JobSchema));

const HoldSchema = named(
  'Hold',
  Type.Object({
    request_id: text(),
    amount_nano: nano,
    lease_ms: integer({ description: 'Milliseconds until it lapses unless its process renews it' }),
    key_hash: orNull(text()),
    model: orNull(text()),
    streamed: orNull(flag()),
    began_at: orNull(text()),
  }),
);

/** What an account has in flight. */
export const Holds = answerOf(
  'Holds',
  Type.Object({
    in_flight_nano: nano,
    running: integer(),
    running_nano: orNull(nano),
    settling_nano: orNull(nano),
    budget_nano: orNull(nano),
    as_of: text(),
    holds: list(HoldSchema),
  }),
);

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
