import type { AppliedGuardrail, GuardrailScope } from '../../core/guardrail.ts';
import type { LimitWindows, SpendCalendar } from '../../core/limit-calendar.ts';
import { nanoFromInteger } from '../../core/money.ts';
import { type BudgetInterval, type BudgetLimit, budgetScopes } from '../../ports/budgets.ts';
import type { CallerStore, ReadCallers, StoredCaller } from '../../ports/callers.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ApiKey, KeySpend, KnownKey } from '../../ports/keys.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { TotalsRow } from './account-ledger.ts';
import { type CredentialRow, credentialFromRow, credentialOrder } from './credential-row.ts';
import type { SqlConnection, SqlDatabase } from './database.ts';
import { rulesFromText } from './guardrail-row.ts';
import { keyOfSecret } from './key-secret-rows.ts';
import { keySpendIn, keySpendsIn, type SpendBucket, spendOf, withinDays, withinEdges } from './key-spend.ts';
import { type KnownKeyRow, knownKeyFromRow, knownKeys } from './key-store.ts';
import { balanceFromTotals } from './ledger.ts';
import { SqlStatement, sql } from './statement.ts';

/** How many keys a statement asks for: few texts, so that engines need not make a plan for each number of keys. */
const sizes = [1, 8, 64];
const largest = 64;

/** A key with its account and that account's totals; these are null until something was booked. */
type CallerRow = KnownKeyRow & Nullable<Omit<TotalsRow, 'account_id'>>;

type Nullable<Row> = { readonly [Column in keyof Row]: Row[Column] | null };

/** Callers in any SQL engine. */
export class SqlCallerStore implements CallerStore {
  readonly #db: SqlDatabase;
  readonly #ledger: Pick<Ledger, 'balance'>;
  readonly calendar: SpendCalendar;
  readonly #clock: Clock;

  /** @param db Holds every charge that was promised. */
  constructor(db: SqlDatabase, ledger: Pick<Ledger, 'balance'>, calendar: SpendCalendar, clock: Clock) {
    this.#db = db;
    this.#ledger = ledger;
    this.calendar = calendar;
    this.#clock = clock;
  }

  keyOfSecret(secretHash: string): Promise<string | undefined> {
    return keyOfSecret(this.#db, secretHash);
  }

  async read(hashes: readonly string[], now: number): Promise<ReadCallers> {
    const windows = this.calendar.windowsAt(now);
    const parts: Promise<ReadCallers>[] = [];
    for (let start = 0; start < hashes.length; start += largest) {
      parts.push(this.#readSome(listOf(hashes.slice(start, start + largest)), windows));
    }
    return new Map((await Promise.all(parts)).flatMap((callers) => [...callers]));
  }

  /** Asks for everything at once: one message to a thread, or one wait for a server. */
  async #readSome(hashes: SqlStatement, windows: LimitWindows): Promise<ReadCallers> {
    const [rows, credentials, guarding, spendOf] = await Promise.all([
      this.#db.rows<CallerRow>(sql`
        select ${knownKeys.columns}, entry_count, entries_total, charges_total, purchased_total, next_expiry
        from ${knownKeys.tables} left join account_totals on account_totals.account_id = api_keys.account_id
        where hash in (${hashes}) and deleted_at is null`),
      this.#db.rows<CredentialRow>(sql`
        select * from provider_credentials
        where account_id in (select account_id from api_keys where hash in (${hashes}))
          and disabled = 0 and deleted_at is null ${credentialOrder}`),
      this.#db.rows<GuardingRow>(guardingRows(hashes)),
      keySpendsIn(
        this.#db,
        sql`select hash from api_keys where hash in (${hashes}) and limit_amount is not null`,
        windows,
      ),
    ]);
    const byAccount = Map.groupBy(credentials, (row) => row.account_id);
    const byKey = Map.groupBy(guarding, ({ hash }) => hash);
    return new Map(
      rows.map((row) => {
        const also = {
          credentials: byAccount.get(row.account_id) ?? [],
          guarding: byKey.get(row.hash) ?? [],
        };
        const caller = this.#toCaller(row, also, spendOf, windows);
        // Nobody looks at it before all parts are read, and until then a failure would count as one nobody expects.
        caller.catch(() => undefined);
        return [row.hash, caller];
      }),
    );
  }

  async #toCaller(
    row: CallerRow,
    { credentials, guarding }: { credentials: readonly CredentialRow[]; guarding: readonly GuardingRow[] },
    spendOf: (keyHash: string) => KeySpend,
    windows: LimitWindows,
  ): Promise<StoredCaller> {
    const known = knownKeyFromRow(row);
    const { key, account } = known;
    const isDue = row.next_expiry !== null && row.next_expiry <= BigInt(Math.floor(this.#clock.now()));
    return {
      ...known,
      spend: key.limit === null ? undefined : spendOf(key.hash),
      balance: isDue ? await this.#ledger.balance(account.id) : balanceFromTotals(row),
      credentials: credentials.map(credentialFromRow),
      ...(guarding.length > 0 && (await this.#guard(known, guarding, windows))),
    };
  }

  /** What is set for a caller, with what the subjects of budgets spent. */
  async #guard({ key, account }: KnownKey, rows: readonly GuardingRow[], windows: LimitWindows) {
    const set = guardingOf(rows, key);
    const subjects = [...new Set(set.budgets?.map(({ subject }) => subject))];
    const reading = subjects.map(
      async (subject) => [subject, await subjectSpendIn(this.#db, account.id, subject, windows)] as const,
    );
    return { ...set, ...(subjects.length > 0 && { spends: new Map(await Promise.all(reading)) }) };
  }
}

/** Hashes as `in (…)` takes them: as many as the next size, the last one repeated. */
function listOf(hashes: readonly string[]): SqlStatement {
  const size = sizes.find((one) => one >= hashes.length) ?? largest;
  const last = hashes.at(-1) ?? '';
  const values = Array.from({ length: size }, (_, at) => hashes[at] ?? last);
  return new SqlStatement(['', ...Array<string>(size - 1).fill(', '), ''], values);
}

/**
 * What the subject of a budget spent in some windows: a key, or all keys of a member or a workspace, deleted ones
 * too.
 * @param subject As `BudgetLimit` names it.
 */
function subjectSpendIn(
  db: SqlConnection,
  accountId: string,
  subject: string,
  windows: LimitWindows,
): Promise<KeySpend> {
  const at = subject.indexOf(':');
  const id = subject.slice(at + 1);
  switch (subject.slice(0, at)) {
    case 'key':
      return keySpendIn(db, id, windows);
    case 'member':
      return spendTogether(db, sql`account_id = ${accountId} and creator_user_id = ${id}`, windows);
    default:
      return spendTogether(db, sql`workspace_id = ${id}`, windows);
  }
}

async function spendTogether(
  db: SqlConnection,
  chosen: SqlStatement,
  windows: LimitWindows,
): Promise<KeySpend> {
  const keys = sql`select hash from api_keys where ${chosen}`;
  const edges = withinEdges(windows);
  const sums = sql`cast(sum(charge) as bigint) as charge, cast(sum(byok) as bigint) as byok`;
  const ofEdges =
    edges === undefined
      ? sql``
      : sql`union all select null, quarter, ${sums} from key_spend_quarters
          where key_hash in (${keys}) and (${edges}) group by quarter`;
  const buckets = await db.rows<SpendBucket>(sql`
    select cast(null as bigint) as day, cast(null as bigint) as quarter, ${sums}
    from key_totals where key_hash in (${keys}) having count(*) > 0
    union all
    select day, null, ${sums} from key_spend
    where ${withinDays(windows)} and key_hash in (${keys}) group by day ${ofEdges}`);
  return spendOf(buckets, windows);
}

/** Something that is set for the requests of a key: a guardrail, a budget of its workspace, or a phrase of its account. */
interface GuardingRow {
  readonly hash: string;
  readonly source: GuardrailScope | 'budget' | 'phrase';
  /** Of a guardrail its id; of a budget its interval. */
  readonly id: string;
  /** Of a budget its id. */
  readonly name: string;
  readonly body: string;
  readonly counts_byok: bigint;
}

/** Reads what is set for the requests of some keys. @param hashes As `in (…)` takes them. */
function guardingRows(hashes: SqlStatement): SqlStatement {
  return sql`
    select hash, 'api-key' as source, guardrails.id, guardrails.name, rules as body, 0 as counts_byok
    from api_keys
      join guardrail_assignments on guardrail_assignments.account_id = api_keys.account_id
        and guardrail_assignments.kind = 'key' and subject = hash
      join guardrails on guardrails.id = guardrail_id
    where hash in (${hashes})
    union all
    select hash, 'member', guardrails.id, guardrails.name, rules, 0 from api_keys
      join guardrail_assignments on guardrail_assignments.account_id = api_keys.account_id
        and guardrail_assignments.kind = 'member' and subject = creator_user_id
      join guardrails on guardrails.id = guardrail_id
    where hash in (${hashes})
    union all
    select hash, 'workspace', guardrails.id, guardrails.name, rules, 0 from api_keys
      join guardrails on guardrails.workspace_id = api_keys.workspace_id and is_default = 1
    where hash in (${hashes})
    union all
    select hash, 'budget', period, workspace_budgets.id, cast(workspace_budgets.limit_amount as text), include_byok_in_budgets from api_keys
      join workspaces on workspaces.id = api_keys.workspace_id
      join workspace_budgets on workspace_budgets.workspace_id = workspaces.id
    where hash in (${hashes})
    union all
    select hash, 'phrase', allowed_phrases.id, '', phrase, 0 from api_keys
      join allowed_phrases on allowed_phrases.account_id = api_keys.account_id
    where hash in (${hashes})`;
}

const scopeOrder: readonly GuardrailScope[] = ['account', 'workspace', 'member', 'api-key'];

/** What rows set for a key; members without anything are left out. */
function guardingOf(
  rows: readonly GuardingRow[],
  key: ApiKey,
): Pick<StoredCaller, 'guardrails' | 'allowedPhrases' | 'budgets'> {
  const applied: AppliedGuardrail[] = [];
  const phrases: string[] = [];
  const budgets: BudgetLimit[] = [];
  for (const { source, id, name, body, counts_byok } of rows) {
    if (source === 'phrase') phrases.push(body);
    else if (source === 'budget') {
      const interval = id as BudgetInterval;
      const limit = nanoFromInteger(BigInt(body));
      const subject = `workspace:${key.workspaceId}`;
      const includeByok = counts_byok !== 0n;
      budgets.push({ scope: 'workspace', source: name, subject, interval, limit, includeByok });
    } else {
      const guardrail = { id, name, scope: source, rules: rulesFromText(body) };
      applied.push(guardrail);
      budgets.push(...budgetsOf(guardrail, key));
    }
  }
  return {
    ...(applied.length > 0 && {
      guardrails: applied.sort(
        (one, other) => scopeOrder.indexOf(one.scope) - scopeOrder.indexOf(other.scope),
      ),
    }),
    ...(phrases.length > 0 && { allowedPhrases: phrases }),
    ...(budgets.length > 0 && {
      budgets: budgets.sort(
        (one, other) => budgetScopes.indexOf(one.scope) - budgetScopes.indexOf(other.scope),
      ),
    }),
  };
}

/** The budgets of a guardrail count for each key and each member alone (docs/spec/guardrails.md#budgets). */
function budgetsOf({ id: source, scope, rules }: AppliedGuardrail, key: ApiKey): readonly BudgetLimit[] {
  const { limit, resetInterval, includeByokInBudgets: includeByok, mode } = rules;
  if (limit === null || mode === 'observe') return [];
  const budget = { source, interval: resetInterval ?? 'lifetime', limit, includeByok } as const;
  const ofKey = { ...budget, subject: `key:${key.hash}` };
  const ofMember = { ...budget, subject: `member:${key.creatorUserId}` };
  switch (scope) {
    case 'api-key':
      return [{ ...ofKey, scope: 'api_key' }];
    case 'member':
      return [{ ...ofMember, scope: 'member' }];
    default: {
      const keys: BudgetLimit = { ...ofKey, scope: 'workspace_default_key' };
      return key.creatorUserId === null ? [keys] : [{ ...ofMember, scope: 'workspace_default_member' }, keys];
    }
  }
}
