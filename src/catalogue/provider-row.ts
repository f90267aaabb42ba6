import type { ChatQuirks } from '../core/chat-quirks.ts';
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
  /** `{NAME}` stands for the value of an environment variable; without it the provider is not enabled. */
  readonly baseUrl?: string;
  /** The variable whose presence enables the provider; undefined when it needs none. */
  readonly variable?: string;
  /** Set when the variable holds the provider's address instead of a credential. */
  readonly variableIsAddress?: boolean;
  /** Undeclared policies count as retaining and training (routing.md 1.3). */
  readonly retainsPrompts?: boolean;
  readonly trainsOnPrompts?: boolean;
  /** The provider's name in the package of prices. */
  readonly priceSource?: string;
  /** The author of models whose name does not tell one. */
  readonly author?: string;
  /** Rows of the price package that this interface does not serve. */
  readonly notServed?: RegExp;
  /** Which documentation the row was checked against; absent when there was none to check. */
  readonly source?: string;
  /** What its documentation says that no quirk tells, for people. */
  readonly note?: string;
}
