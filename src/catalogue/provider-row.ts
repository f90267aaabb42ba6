import type { ChatQuirks } from '../core/chat-quirks.ts';
import type { ProviderListing } from '../core/listing.ts';
import type { FurtherPrices } from './further-prices.ts';
import type { adapterNames } from './vocabulary.ts';

type AdapterName = (typeof adapterNames)[number];

/** What is known of a provider before anyone configures it. Adding a look-alike provider is adding a row. */
export type ProviderRow = ProviderFacts & (ChatDialect | OtherDialect);

interface ChatDialect {
  readonly adapter: 'openai-chat';
  readonly quirks?: ChatQuirks;
}

interface OtherDialect {
  readonly adapter: Exclude<AdapterName, 'openai-chat'>;
  readonly quirks?: Readonly<Record<string, unknown>>;
}

interface ProviderFacts {
  /** The contract's slug where it has one. */
  readonly slug: string;
  readonly name: string;
  /**
   * `{NAME}` stands for the value of an environment variable; without it the provider is not enabled. Undefined where
   * the credential decides the address.
   */
  readonly baseUrl?: string;
  /** The variable whose presence enables the provider; undefined when it needs none. */
  readonly variable?: string;
  /** Variables whose values, as members of a JSON object, are the credential where `variable` is not set. */
  readonly variableParts?: {
    readonly needed: Readonly<Record<string, string>>;
    readonly optional: Readonly<Record<string, string>>;
  };
  /** The variable that tells the address, for credentials that do not tell it. */
  readonly addressVariable?: string;
  /** Set when the variable holds the provider's address instead of a credential. */
  readonly variableIsAddress?: boolean;
  /** Set when the variable names a file that holds the credential. */
  readonly variableIsFile?: boolean;
  /** Undeclared policies count as retaining and training (routing.md 1.3). */
  readonly retainsPrompts?: boolean;
  readonly trainsOnPrompts?: boolean;
  /** What lists tell of it. */
  readonly listing?: ProviderListing;
  /** The provider's name in the package of prices. */
  readonly priceSource?: string;
  /** What that package lacks of its prices, as documented by the provider. */
  readonly furtherPrices?: readonly FurtherPrices[];
  /** The author of models whose name does not tell one. */
  readonly author?: string;
  /** Rows of the price package that this interface does not serve. */
  readonly notServed?: RegExp;
  /**
   * What the row's facts rest on: `documentation` is the provider's own (pages or client library, read directly or as
   * a named client cites them), `clients` are others' maintained clients for it, which tell address and credential
   * but few differences.
   */
  readonly checked?: 'documentation' | 'clients';
  /** Which documentation or clients those were. */
  readonly source?: string;
  /** What was found of the provider's differences, for people: docs/providers.md shows it. */
  readonly note?: string;
}
