import type { AppliedGuardrail } from '../core/guardrail.ts';
import type { SpendCalendar } from '../core/limit-calendar.ts';
import type { BudgetLimit } from './budgets.ts';
import type { ProviderCredential } from './credentials.ts';
import type { KeySpend, KeyStore, KnownKey } from './keys.ts';
import type { Balance } from './ledger.ts';

/** What is stored of a key and its owner. */
export interface StoredCaller extends KnownKey {
  /** The spending of the key; undefined for a key without a limit, where nothing reads it. */
  readonly spend: KeySpend | undefined;
  /** Of the account, over all its keys, after expiring outdated credit. */
  readonly balance: Balance;
  /** The account's enabled provider credentials, of every workspace, by provider, position and age. */
  readonly credentials: readonly ProviderCredential[];
  /** Stored guardrails that apply to requests of the key; undefined without any. */
  readonly guardrails?: readonly AppliedGuardrail[];
  /** Phrases of the account that are no prompt injection; undefined without any. */
  readonly allowedPhrases?: readonly string[];
  /** Budgets that limit the key; undefined without any. */
  readonly budgets?: readonly BudgetLimit[];
  /** What the subjects of these budgets spent. */
  readonly spends?: ReadonlyMap<string, KeySpend>;
}

/** Reads everything that a request needs to know of its caller. */
export interface CallerStore extends Pick<KeyStore, 'keyOfSecret'> {
  /** In which windows limits and budgets count. */
  readonly calendar: SpendCalendar;
  /**
   * The callers of some keys by hash, read together: many cost little more than one. Includes everything that was
   * settled before. Unknown or deleted keys are missing. A key whose credit is just being expired comes later than
   * the others, and one that cannot be read fails alone.
   * @param now Decides the windows of the spending by `calendar`, Unix milliseconds.
   */
  read(hashes: readonly string[], now: number): Promise<ReadCallers>;
}

/** Callers by the hashes of their keys. */
export type ReadCallers = ReadonlyMap<string, Promise<StoredCaller>>;
