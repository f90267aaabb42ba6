import type { AppliedGuardrail } from '../core/guardrail.ts';
import type { SpendCalendar } from '../core/limit-calendar.ts';
import type { Account } from '../ports/accounts.ts';
import type { BudgetLimit } from '../ports/budgets.ts';
import type { ProviderCredential } from '../ports/credentials.ts';
import type { ApiKey, KeySpend } from '../ports/keys.ts';
import type { Balance } from '../ports/ledger.ts';
import type { RequestDefaults } from '../ports/workspaces.ts';

/**
 * Who asks, and how their money stands. `spend` and `funds` are live: they include every charge booked in this
 * process, so code that decides by them must read them at that moment.
 */
export interface Caller {
  readonly key: ApiKey;
  readonly account: Account;
  /** What the key spent in the windows of `calendar`; only kept up for keys with a limit. */
  readonly spend: KeySpend;
  /** In which windows limits and budgets count. */
  readonly calendar: SpendCalendar;
  /** Of the account, over all its keys. */
  readonly funds: Balance;
  /** The account's own provider credentials that are enabled, of every workspace, by provider and place. */
  readonly credentials: readonly ProviderCredential[];
  /** What the key's workspace presumes of its requests. */
  readonly defaults?: RequestDefaults;
  /** Stored guardrails that apply to requests of the key; undefined without any. */
  readonly guardrails?: readonly AppliedGuardrail[];
  /** Phrases of the account that are no prompt injection; undefined without any. */
  readonly allowedPhrases?: readonly string[];
  /** Budgets that limit the key, in the order they are checked; undefined without any. */
  readonly budgets?: readonly CallerBudget[];
}

/** A budget that limits a caller, with what was spent of it at the moment somebody asks. */
export interface CallerBudget extends BudgetLimit {
  readonly spend: () => KeySpend;
}
