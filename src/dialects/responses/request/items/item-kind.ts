import type { Item, Tool } from '../../../../core/request.ts';
import type { JsonObject } from '../../../../util/json.ts';
import type { TSchema } from '../../../../util/json-schema.ts';
import type { CallPairing } from '../../../gateway/call-pairing.ts';
import type { CacheRules } from '../../../gateway/common-settings.ts';
import type { Speller } from '../../../gateway/models.ts';
import type { CarrierSeal } from '../../../public-dialect.ts';
import type { WaitingWorkers } from '../waiting-workers.ts';

/** What is known while the items of one request are read in order. */
export interface Reading {
  readonly cache: CacheRules;
  readonly pairing: CallPairing;
  /** Turns aliases of the `service` prefix into the prefix itself. */
  readonly spell: Speller;
  /** Whether calls of a tool may stay without an output, by its qualified name. */
  readonly mayWait: (qualifiedName: string) => boolean;
  /** Adds tools that are offered from here on, and where the first of them stands that has to be found. */
  readonly offer: (tools: readonly Tool[], hidden: string | undefined) => void;
  /** Opens what the gateway has sealed for the caller's account. */
  readonly carriers: CarrierSeal | undefined;
  /** The workers of the conversation; undefined while what one of them wrote is read. */
  readonly workers: WaitingWorkers | undefined;
  /** Reads what a worker wrote; nothing where it cannot be read. */
  readonly readWritten: (items: readonly unknown[]) => readonly Item[];
  /** What the items before this one became, by their ids; undefined for one that was dropped. */
  readonly seen: ReadonlyMap<string, Item | undefined>;
}

/** One kind of input item (docs/spec/items.md#kinds): its public schema, and how it becomes canonical. */
export interface ItemKind {
  readonly schema: TSchema;
  /**
   * Checks and converts an item; undefined when it adds nothing to the conversation.
   * @throws HeadgateError `invalid_request` or `unprocessable`.
   */
  readonly read: (item: JsonObject, path: string, reading: Reading) => Item | undefined;
}
