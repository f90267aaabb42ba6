import type { ChatQuirks } from '../core/chat-quirks.ts';
import type { ProviderListing } from '../core/listing.ts';
import type { FurtherPrices } from './further-prices.ts';
import type { adapterNames } from './vocabulary.ts';

type AdapterName = (typeof adapterNames)[number];

/** The built-in facts of a provider. To add a compatible provider, add a row. */
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
  /** Its word in the conventions of OpenTelemetry, where that is not the slug. */
  readonly conventionName?: string;
  /**
   * `{NAME}` is replaced by the value of an environment variable; without it the provider is disabled. Undefined
   * where the credential decides the address.
   */
  readonly baseUrl?: string;
  /** The variable that enables the provider; undefined when it needs none. */
  readonly variable?: string;
  /** Variables whose values form the credential, as members of a JSON object, where `variable` is not set. */
  readonly variableParts?: {
    readonly needed: Readonly<Record<string, string>>;
    readonly optional: Readonly<Record<string, string>>;
  };
  /** The variable with the address, for credentials without one. */
  readonly addressVariable?: string;
  /** Set when the variable holds the provider's address instead of a credential. */
  readonly variableIsAddress?: boolean;
  /** Set when the variable names a file with the credential. */
  readonly variableIsFile?: boolean;
  /** Undeclared policies count as retaining and training (docs/spec/catalogue.md#data-policies). */
  readonly retainsPrompts?: boolean;
  readonly trainsOnPrompts?: boolean;
  /** What lists show of it. */
  readonly listing?: ProviderListing;
  /** The provider's name in the price package. */
  readonly priceSource?: string;
  /** Prices that the package lacks, as the provider documents them. */
  readonly furtherPrices?: readonly FurtherPrices[];
  /** The author of models whose name does not include one. */
  readonly author?: string;
  /** Rows of the price package that this interface does not serve. */
  readonly notServed?: RegExp;
  /**
   * The basis of the row's facts. `documentation` is the provider's own: pages or client library, read directly or
   * quoted by a named client. `clients` are maintained clients by others, which show address and credential but few
   * differences.
   */
  readonly checked?: 'documentation' | 'clients';
  /** Names that documentation or those clients. */
  readonly source?: string;
  /** What was found of the provider's differences, for people; shown in docs/providers.md. */
  readonly note?: string;
}
