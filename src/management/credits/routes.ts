import { formatUsd, nanoFromInteger } from '../../core/money.ts';
import { apiBase } from '../../edge/route.ts';
import { unit, withUnit } from '../../schema/units.ts';
import { isoTime } from '../../util/iso-time.ts';
import { Type, text, word } from '../../util/json-schema.ts';
import { accountOf } from '../accounts/account-of.ts';
import { exportRow } from '../export-row.ts';
import type { InterfaceServices } from '../interface-services.ts';
import { limit, managed, one } from '../parts.ts';
import { requireOperator, withRole } from '../roles.ts';
import { jsonRow, type Row } from '../row.ts';
import { bookCredits, exportLedger, readHolds } from './credits.ts';
import {
  BookCredits,
  BookedCreditsAnswer,
  Holds,
  JobAnswer,
  LatestJob,
  LedgerPage,
  showExactBalance,
  showExactEntry,
  showHold,
} from './show.ts';
import { beginVerification, latestVerification, readJob, showJob } from './verify-ledger.ts';

/** The types of movements of credits. */
export const movementTypes = ['purchase', 'grant', 'refund', 'expiry', 'transfer', 'adjustment'] as const;

type Shown = ReturnType<typeof showExactEntry>;

/** Movements of credits as a file. */
export const ledgerExportRow = exportRow({
  ...one('billing'),
  path: `${apiBase}/ledger/export`,
  id: 'exportLedger',
  summary: 'All movements of credits besides charges as one file: CSV, or a line of JSON each',
  name: 'ledger',
  query: Type.Object({
    type: Type.Optional(word(movementTypes)),
    account_id: Type.Optional(text({ description: 'Another account; only for operators' })),
  }),
  columns: [
    'time',
    'id',
    'account_id',
    'type',
    'amount_usd',
    'amount_nano',
    'fee_nano',
    'counts_as_purchase',
    'expires_at',
    'external_ref',
    'related_id',
    'note',
    'created_by',
  ],
  cells: (entry: Shown) => [
    entry.created_at,
    entry.id,
    entry.account_id,
    entry.type,
    formatUsd(nanoFromInteger(BigInt(entry.amount_nano))),
    entry.amount_nano,
    entry.fee_nano,
    entry.counts_as_purchase,
    entry.expires_at,
    entry.external_ref,
    entry.related_id,
    entry.note,
    entry.created_by,
  ],
  pages: async function* ({ actor, query }, services) {
    const { type, account_id: account } = query;
    const pages = exportLedger(await withRole(actor, services), { account, type }, services);
    for await (const entries of pages) yield entries.map(showExactEntry);
  },
});

const maybe = Type.Optional;
const path = `${apiBase}/ledger`;
const cursor = withUnit(unit('ledger cursor', 'the "next" of a page', readCursor), text());
const account = maybe(text({ description: 'Another account; only for operators' }));

/** Credits, what is reserved of them, and the check of the ledger (docs/spec/dashboard.md#credits-and-ledger). */
export const ledgerRows: readonly Row[] = [
  jsonRow({
    ...one('billing'),
    method: 'GET',
    path,
    id: 'listLedger',
    summary: 'Movements of credits besides charges, newest first, and the balance',
    query: Type.Object({
      cursor: maybe(cursor),
      limit,
      type: maybe(word(movementTypes)),
      account_id: account,
    }),
    answer: LedgerPage,
    handle: async ({ actor, query }, services) => {
      const { ledger } = services.storage;
      const { id, name, billingMode } = await accountOf(
        await withRole(actor, services),
        query.account_id,
        services,
      );
      const asked = { before: query.cursor, limit: query.limit, type: query.type };
      const { entries, next } = await ledger.page(id, asked);
      return {
        data: entries.map(showExactEntry),
        next: next === null ? null : String(next),
        account: { id, name, billing_mode: billingMode },
        balance: showExactBalance(await ledger.balance(id)),
      };
    },
  }),
  jsonRow({
    ...one('installation'),
    method: 'POST',
    path,
    needsTypedKey: true,
    id: 'bookCredits',
    summary: 'Grant, sell or take back credits; only for operators',
    body: BookCredits,
    answer: BookedCreditsAnswer,
    handle: async ({ actor, body }, services) => {
      const operating = await requireOperator(actor, services);
      const { type: kind, amount_nano: amount, ref: reference, account_id: named } = body;
      const expiresAt = body.expires_at ?? undefined;
      const note = body.note ?? undefined;
      const movement = {
        kind,
        amount,
        reference,
        ...(named === undefined ? {} : { account: named }),
        ...(expiresAt === undefined ? {} : { expiresAt }),
        ...(note === undefined ? {} : { note }),
      };
      const { accountId, booked, balance } = await bookCredits(operating, movement, services);
      return { data: { account_id: accountId, booked, balance: showExactBalance(balance) } };
    },
  }),
  jsonRow({
    ...managed('installation'),
    method: 'POST',
    path: `${path}/verify`,
    id: 'verifyLedger',
    summary: 'Begin to recompute every total, or find the check that runs; only for operators',
    status: 202,
    answer: JobAnswer,
    handle: async ({ actor }, services) => {
      const job = await beginVerification(await requireOperator(actor, services), {
        ...jobServices(services),
        onJobFailed: (id, failure) => services.log.error({ err: failure, job: id }, 'the job failed'),
      });
      return { data: showJob(job) };
    },
  }),
  jsonRow({
    ...managed('installation'),
    method: 'GET',
    path: `${path}/verify`,
    id: 'getLastVerification',
    summary: 'The check of the ledger that began last; only for operators',
    answer: LatestJob,
    handle: async ({ actor }, services) => {
      const job = await latestVerification(await requireOperator(actor, services), services);
      return { data: job === undefined ? null : showJob(job) };
    },
  }),
  jsonRow({
    ...one('installation'),
    method: 'GET',
    path: `${apiBase}/jobs/{id}`,
    id: 'getJob',
    summary: 'How a job stands; only for operators',
    answer: JobAnswer,
    handle: async ({ actor, params: { id = '' } }, services) => ({
      data: showJob(await readJob(await requireOperator(actor, services), id, services)),
    }),
  }),
  jsonRow({
    ...one('billing'),
    method: 'GET',
    path: `${apiBase}/holds`,
    id: 'listHolds',
    summary:
      'What an account has in flight: running requests near the end of its credits, and recent charges',
    query: Type.Object({ account_id: account }),
    answer: Holds,
    handle: async ({ actor, query: { account_id: named } }, services) => {
      const input = named === undefined ? {} : { account: named };
      const found = await readHolds(await withRole(actor, services), input, services);
      const { total, running, holds, held, budget } = found;
      return {
        data: {
          in_flight_nano: String(total),
          running,
          running_nano: held === undefined ? null : String(held),
          settling_nano: held === undefined ? null : String(total - held),
          budget_nano: budget === undefined ? null : String(budget),
          as_of: isoTime(services.clock.now()),
          holds: holds.map(showHold),
        },
      };
    },
  }),
];

/** What outlives its request: the configuration of services may be another one after a reload. */
function jobServices({ storage, clock }: InterfaceServices): Pick<InterfaceServices, 'storage' | 'clock'> {
  return { storage, clock };
}

/** The place in an account's books that a cursor stands for. */
function readCursor(given: string): number {
  if (!/^[1-9]\d{0,14}$/.test(given)) throw new RangeError('is no cursor');
  return Number(given);
}
