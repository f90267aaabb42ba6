import type { TSchema } from '../../../core/json-schema.ts';
import type { Item } from '../../../core/request.ts';
import type { CacheRules } from '../cache.ts';
import type { CallPairing } from './call-pairing.ts';

/** What is known while the items of one request are read in order. */
export interface Reading {
  readonly cache: CacheRules;
  readonly pairing: CallPairing;
  /** Names of tools whose calls may stay without an output. */
  readonly asyncTools: ReadonlySet<string>;
  /** What the items before this one became, by their ids; undefined for one that was dropped. */
  readonly seen: ReadonlyMap<string, Item | undefined>;
}

/** One kind of input item (responses.md 3.2): its public schema, and how it becomes canonical. */
export interface ItemKind {
  readonly schema: TSchema;
  /**
   * Checks and converts an item; undefined when it adds nothing to the conversation.
   * @throws HeadgateError `invalid_request` or `unprocessable`.
   */
  readonly read: (item: unknown, path: string, reading: Reading) => Item | undefined;
}
