import type { RateLimit } from '../../core/limits.ts';
import type { PluginDefaults } from '../../core/plugin-defaults.ts';
import type {
  Account,
  AccountChange,
  AccountPlace,
  AccountPrivacy,
  AccountStore,
  PurgedSums,
} from '../../ports/accounts.ts';
import type { SqlDatabase } from './database.ts';
import { purgeAccount, thinAccount } from './purge-account.ts';
import { type SqlStatement, sql } from './statement.ts';
import { flag, flagOrNull, isSet } from './values.ts';

/** Settings nobody made, as JSON. */
const none = '{}';

/** A row of `accounts`. */
export interface AccountRow {
  readonly id: string;
  readonly name: string;
  readonly kind: Account['kind'];
  readonly billing_mode: Account['billingMode'];
  readonly free_limit_exempt: bigint;
  readonly inflight_exempt: bigint;
  readonly zero_retention: bigint;
  readonly content_logging: bigint;
  readonly disabled: bigint;
  readonly privacy: string;
  readonly rates: string;
  readonly plugin_defaults: string;
  readonly default_workspace_id: string | null;
  readonly created_at: bigint;
}

/**
 * Accounts and their default workspaces in any SQL engine (docs/spec/accounts.md#accounts,
 * docs/spec/accounts.md#workspaces).
 */
export class SqlAccountStore implements AccountStore {
  readonly #db: SqlDatabase;
  readonly #keepsDailyUsage: boolean;

  /** @param keepsDailyUsage See `SchemaDialect`. */
  constructor(db: SqlDatabase, keepsDailyUsage: boolean) {
    this.#db = db;
    this.#keepsDailyUsage = keepsDailyUsage;
  }

  create(account: Account): Promise<void> {
    return this.#db.transaction(async (transaction) => {
      await transaction.change(sql`
        insert into accounts (id, name, kind, billing_mode, free_limit_exempt, inflight_exempt,
          zero_retention, content_logging, disabled, privacy, rates, plugin_defaults, default_workspace_id, created_at)
        values (${account.id}, ${account.name}, ${account.kind}, ${account.billingMode},
          ${flag(account.freeLimitExempt)}, ${flag(account.inflightExempt)},
          ${flag(account.zeroRetention)}, ${flag(account.contentLogging)}, ${flag(account.disabled)},
          ${JSON.stringify(account.privacy ?? {})}, ${JSON.stringify(account.rates ?? {})},
          ${JSON.stringify(account.pluginDefaults ?? {})},
          ${account.defaultWorkspaceId}, ${account.createdAt})`);
      if (account.defaultWorkspaceId === null) return;
      await transaction.change(sql`
        insert into workspaces (id, account_id, name, slug, created_at)
        values (${account.defaultWorkspaceId}, ${account.id}, 'Default', 'default', ${account.createdAt})`);
    });
  }

  async find(id: string): Promise<Account | undefined> {
    const [row] = await this.#db.rows<AccountRow>(sql`select * from accounts where id = ${id}`);
    return row && accountFromRow(row);
  }

  async list(): Promise<readonly Account[]> {
    const rows = await this.#db.rows<AccountRow>(sql`select * from accounts order by created_at, id`);
    return rows.map(accountFromRow);
  }

  async page(after: AccountPlace | undefined, limit: number): Promise<readonly Account[]> {
    const later =
      after === undefined ? sql`` : sql`where (created_at, id) > (${after.createdAt}, ${after.id})`;
    const rows = await this.#db.rows<AccountRow>(sql`
      select * from accounts ${later} order by created_at, id limit ${limit}`);
    return rows.map(accountFromRow);
  }

  update(
    id: string,
    change: AccountChange | ((current: Account) => AccountChange),
  ): Promise<Account | undefined> {
    return this.#db.transaction(async (transaction) => {
      // An update that changes nothing holds the row for the rest of the transaction in every engine.
      const [held] = await transaction.rows<AccountRow>(
        sql`update accounts set id = id where id = ${id} returning *`,
      );
      if (held === undefined) return undefined;
      const given = typeof change === 'function' ? change(accountFromRow(held)) : change;
      const [row] = await transaction.rows<AccountRow>(changeAccount(id, given));
      return row && accountFromRow(row);
    });
  }

  thin(id: string, limit: number): Promise<boolean> {
    const place = { id, keepsDailyUsage: this.#keepsDailyUsage };
    return this.#db.transaction((transaction) => thinAccount(transaction, place, limit));
  }

  purge(id: string): Promise<PurgedSums | undefined> {
    const place = { id, keepsDailyUsage: this.#keepsDailyUsage };
    return this.#db.transaction((transaction) => purgeAccount(transaction, place));
  }
}

function changeAccount(id: string, change: AccountChange): SqlStatement {
  return sql`
    update accounts set
      name = coalesce(${change.name ?? null}, name),
      billing_mode = coalesce(${change.billingMode ?? null}, billing_mode),
      free_limit_exempt = coalesce(${flagOrNull(change.freeLimitExempt)}, free_limit_exempt),
      inflight_exempt = coalesce(${flagOrNull(change.inflightExempt)}, inflight_exempt),
      zero_retention = coalesce(${flagOrNull(change.zeroRetention)}, zero_retention),
      content_logging = coalesce(${flagOrNull(change.contentLogging)}, content_logging),
      disabled = coalesce(${flagOrNull(change.disabled)}, disabled),
      privacy = coalesce(${jsonOrNull(change.privacy)}, privacy),
      rates = coalesce(${jsonOrNull(change.rates)}, rates),
      plugin_defaults = coalesce(${jsonOrNull(change.pluginDefaults)}, plugin_defaults)
    where id = ${id} returning *`;
}

/** The account a row holds. */
export function accountFromRow(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    billingMode: row.billing_mode,
    freeLimitExempt: isSet(row.free_limit_exempt),
    inflightExempt: isSet(row.inflight_exempt),
    zeroRetention: isSet(row.zero_retention),
    contentLogging: isSet(row.content_logging),
    disabled: isSet(row.disabled),
    ...(row.privacy !== none && { privacy: JSON.parse(row.privacy) as AccountPrivacy }),
    ...(row.rates !== none && { rates: JSON.parse(row.rates) as RateLimit }),
    ...(row.plugin_defaults !== none && {
      pluginDefaults: JSON.parse(row.plugin_defaults) as PluginDefaults,
    }),
    defaultWorkspaceId: row.default_workspace_id,
    createdAt: Number(row.created_at),
  };
}

/** Null leaves a setting as it is. */
function jsonOrNull(settings: object | undefined): string | null {
  return settings === undefined ? null : JSON.stringify(settings);
}
