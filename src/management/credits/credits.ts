import { randomUUID } from 'node:crypto';
import { HeadgateError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import { type NanoUsd, nanoFromInteger, zeroUsd } from '../../core/money.ts';
import type { InFlightBudget, InFlightView } from '../../ports/in-flight-budget.ts';
import type { Balance, EntryQuery, LedgerEntry } from '../../ports/ledger.ts';
import { budgetOf, isSubjectToBudget } from '../../settlement/in-flight-rules.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor, OperatingActor } from '../actor.ts';
import { notingRefusal } from '../audit/refusals.ts';
import { makeChange } from '../make-change.ts';
import type { Uses, UsesToChange } from '../services.ts';
import { showEntry } from './show.ts';

/** What is said of a movement of credits besides its amount. */
export interface Remarks {
  /** Paid on top of the amount; no part of the balance. */
  readonly fee?: NanoUsd;
  /** When what is left of the amount lapses, Unix milliseconds. */
  readonly expiresAt?: number;
  /** A movement with a reference that was booked before changes nothing. */
  readonly reference?: string;
  readonly note?: string;
  /** Who does it; by default the command line or the label of the key. */
  readonly by?: string;
}

/** A movement of credits of one account. */
export interface Movement extends Remarks {
  readonly kind: 'grant' | 'purchase' | 'refund' | 'adjustment';
  /** The amount: above 0, for an adjustment of any sign. A refund takes it from the account. */
  readonly amount: NanoUsd;
  /** The id of the account; by default the only one. */
  readonly account?: string;
}

/** What came of a movement. */
export interface BookedCredits {
  readonly accountId: string;
  readonly balance: Balance;
  /** False when it was booked before under its reference. */
  readonly booked: boolean;
}

type CreditServices = UsesToChange<'accounts' | 'ledger'>;

/** Books a movement of credits. Refuses like `accountOf` and `Ledger.append`. */
export async function bookCredits(
  actor: OperatingActor,
  movement: Movement,
  services: CreditServices,
): Promise<BookedCredits> {
  const { kind, amount } = movement;
  const action = `credits.${kind}` as const;
  return notingRefusal({ actor, action, id: movement.account }, services, async () => {
    const { id } = await accountOf(actor, movement.account, services);
    const entry = entryOf(actor, movement, services, {
      accountId: id,
      type: kind,
      amount: kind === 'refund' ? nanoFromInteger(-amount) : amount,
      countsAsPurchase: kind === 'purchase',
    });
    return append(actor, action, [entry], services);
  });
}

/**
 * Moves credits from one account to another.
 * @throws HeadgateError `invalid_request` when both are the same; otherwise like `bookCredits`.
 */
export async function transferCredits(
  actor: OperatingActor,
  transfer: Remarks & { readonly amount: NanoUsd; readonly from?: string; readonly to: string },
  services: CreditServices,
): Promise<BookedCredits> {
  const action = 'credits.transfer';
  return notingRefusal({ actor, action, id: transfer.from }, services, async () => {
    const from = await accountOf(actor, transfer.from, services);
    const to = await accountOf(actor, transfer.to, services);
    if (from.id === to.id) {
      throw new HeadgateError('invalid_request', '--to names the account the credits come from');
    }
    const side = (accountId: string, amount: NanoUsd) =>
      entryOf(actor, transfer, services, { accountId, type: 'transfer', amount, countsAsPurchase: false });
    const taken = side(from.id, nanoFromInteger(-transfer.amount));
    const given = side(to.id, transfer.amount);
    const entries = [
      { ...taken, relatedId: given.id },
      { ...given, relatedId: taken.id },
    ] as const;
    return append(actor, action, entries, services);
  });
}

async function append(
  actor: OperatingActor,
  action: `credits.${string}`,
  entries: readonly [LedgerEntry, ...LedgerEntry[]],
  services: CreditServices,
): Promise<BookedCredits> {
  const [{ id, accountId }, other] = entries;
  const after = (booked: boolean, account: string | null) => {
    const entry = entries.find((one) => one.accountId === account);
    return { booked, ...(booked && entry !== undefined ? showEntry(entry) : {}) };
  };
  const accounts = { accountId, ...(other && { otherAccountId: other.accountId }) };
  const booked = await makeChange(
    { actor, action, id, ...accounts, after, outdates: { kind: 'callers' } },
    services,
    ({ ledger }) => ledger.append(...entries),
  );
  return { accountId, booked, balance: await services.storage.ledger.balance(accountId) };
}

function entryOf(
  actor: OperatingActor,
  { fee, expiresAt, reference, note, by }: Remarks,
  { clock }: CreditServices,
  movement: Pick<LedgerEntry, 'accountId' | 'type' | 'amount' | 'countsAsPurchase'>,
): LedgerEntry {
  return {
    ...movement,
    id: randomUUID(),
    fee: fee ?? zeroUsd,
    expiresAt: expiresAt ?? null,
    externalRef: reference ?? null,
    relatedId: null,
    note: note ?? null,
    createdBy: by ?? (actor.kind === 'key' ? actor.label : 'command line'),
    createdAt: clock.now(),
  };
}

type ReadingServices = Uses<'accounts' | 'ledger'>;

/** The credits of an account. Refuses like `accountOf`. */
export async function readBalance(
  actor: Actor,
  input: { readonly account?: string },
  services: ReadingServices,
): Promise<{ readonly accountId: string; readonly balance: Balance }> {
  const { id: accountId } = await accountOf(actor, input.account, services);
  return { accountId, balance: await services.storage.ledger.balance(accountId) };
}

/** The movements of credits of an account besides charges, oldest first. Refuses like `accountOf`. */
export async function listEntries(
  actor: Actor,
  input: { readonly account?: string },
  services: ReadingServices,
): Promise<{ readonly accountId: string; readonly entries: readonly LedgerEntry[] }> {
  const { id: accountId } = await accountOf(actor, input.account, services);
  return { accountId, entries: await services.storage.ledger.entries(accountId) };
}

/** Holds that are named at most; all of them are counted. */
const namedHolds = 1_000;

/** What an account has in flight. */
interface AccountInFlight extends InFlightView {
  /** What it may have in flight; undefined for an account without such a limit. */
  readonly budget: NanoUsd | undefined;
  /** The sum of running holds; undefined where there are more than are named. */
  readonly held: NanoUsd | undefined;
}

/** What an account has in flight (docs/spec/money.md#in-flight-budget). Refuses like `accountOf`. */
export async function readHolds(
  actor: Actor,
  input: { readonly account?: string },
  services: Uses<'accounts' | 'ledger', 'clock'> & {
    readonly inFlightBudget: InFlightBudget;
    readonly limits: () => Limits;
  },
): Promise<AccountInFlight> {
  const account = await accountOf(actor, input.account, services);
  const [view, funds] = await Promise.all([
    services.inFlightBudget.look(account.id, namedHolds),
    services.storage.ledger.balance(account.id),
  ]);
  const now = services.clock.now();
  const rules = services.limits().inFlightBudget;
  const isComplete = view.holds.length === view.running;
  return {
    ...view,
    budget: isSubjectToBudget({ account, funds }, rules, now) ? budgetOf(funds.balance, rules) : undefined,
    held: isComplete ? nanoFromInteger(view.holds.reduce((sum, { amount }) => sum + amount, 0n)) : undefined,
  };
}

/** Entries that are read, and in memory, at once. */
const pageLength = 500;

/** Which entries are wanted: of the actor's account where none is named, of every type where none is. */
interface LedgerExport {
  readonly account?: string | undefined;
  readonly type?: EntryQuery['type'];
}

/**
 * All movements of credits of an account, newest first, page by page. Entries are only ever added, so that all pages
 * together are the ledger as it was at the first.
 * @throws HeadgateError `not_found` for an account that the actor does not reach.
 */
export async function* exportLedger(
  actor: Actor,
  { account: named, type }: LedgerExport,
  { storage }: Uses<'accounts' | 'ledger'>,
): AsyncGenerator<readonly LedgerEntry[]> {
  const { id } = await accountOf(actor, named, { storage });
  let before: number | undefined;
  do {
    const { entries, next } = await storage.ledger.page(id, { before, limit: pageLength, type });
    yield entries;
    before = next ?? undefined;
  } while (before !== undefined);
}
