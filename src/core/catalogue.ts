import type { OwnProxy } from '../util/proxy-address.ts';
import type { Secret } from '../util/secret.ts';
import type { Effort } from './efforts.ts';
import type { ModelListing, ProviderListing } from './listing.ts';
import type { PicoUsd } from './money.ts';

/** What a model can read or write. */
export type Modality = 'text' | 'image' | 'file' | 'audio' | 'video' | 'embeddings';

/** Prices in pico-USD per token, or per request, image or search (docs/spec/catalogue.md#prices). */
export interface Price {
  readonly prompt: PicoUsd;
  readonly completion: PicoUsd;
  readonly reasoning?: PicoUsd;
  readonly cacheRead?: PicoUsd;
  readonly cacheWrite?: PicoUsd;
  readonly cacheWriteLong?: PicoUsd;
  readonly audioInput?: PicoUsd;
  /** Audio input read from a cache. */
  readonly audioCacheRead?: PicoUsd;
  /** Output tokens that are audio. */
  readonly audioOutput?: PicoUsd;
  /** Input tokens that are pictures. */
  readonly imageToken?: PicoUsd;
  readonly request?: PicoUsd;
  /** A picture in the request. */
  readonly image?: PicoUsd;
  /** Output tokens that are pictures. */
  readonly imageOutputToken?: PicoUsd;
  /** A picture in the answer; if set, the output tokens of pictures are free. */
  readonly imageOutput?: PicoUsd;
  readonly webSearch?: PicoUsd;
  /** Conditional prices; all conditions of an entry must hold, later entries win (docs/spec/catalogue.md#prices). */
  readonly overrides?: readonly PriceOverride[];
  /** The discount, in basis points, that the inference prices above already include; for display. */
  readonly discountBasisPoints?: number;
}

/** Prices that replace those of the same name while its conditions hold. */
export interface PriceOverride extends Partial<Omit<Price, 'overrides' | 'discountBasisPoints'>> {
  /** Holds when the whole input is strictly longer, in tokens. */
  readonly minPromptTokens?: number;
  /**
   * Holds from `utcStart` until before `utcEnd`, both HHMM; may wrap midnight, which is also the default of both.
   */
  readonly utcStart?: string;
  readonly utcEnd?: string;
}

/** Time limits of one attempt, in milliseconds. */
export interface Timeouts {
  readonly connect: number;
  /** From sending the request to the first event of the answer; does not apply to unstreamed answers. */
  readonly firstEvent: number;
  /** Of the whole attempt. */
  readonly total: number;
  /** Between two events. */
  readonly idle: number;
}

/** The most that this installation sends to a provider or an endpoint; undefined is no limit. */
export interface CallLimits {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  /** Calls that run at the same time. */
  readonly parallel?: number;
}

/** A provider of models, and how to reach it. */
export interface Provider {
  readonly slug: string;
  readonly name: string;
  /** The adapter of this provider's dialect; a key of the upstream registry. */
  readonly adapter: string;
  /** Without a trailing slash; undefined only for adapters that need no network. */
  readonly baseUrl?: string;
  /** How it is reached; undefined means as the environment says. */
  readonly proxy?: OwnProxy;
  readonly apiKey?: Secret;
  /** All credentials of the operator, in order, where there are several; `apiKey` is the first. */
  readonly sharedKeys?: readonly Secret[];
  /** The operator has no credential for it: it serves only with accounts' own. */
  readonly ownCredentialsOnly?: boolean;
  /** Its word in the conventions of OpenTelemetry, where that is not the slug. */
  readonly conventionName?: string;
  /** Requests to it say which trace they belong to (`traceparent`). */
  readonly propagatesTrace?: boolean;
  /** Its own list of models is part of the catalogue. */
  readonly discovers?: boolean;
  /** Sent with every request; values may be secret and are never logged. */
  readonly headers: Readonly<Record<string, string>>;
  /** Differences of a compatible provider, read by its adapter; `webSearch` also by what judges its counts. */
  readonly quirks: Readonly<Record<string, unknown>>;
  readonly timeouts: Timeouts;
  /** The most that is sent to it, and how many milliseconds a request waits for its turn. */
  readonly limits?: CallLimits & { readonly maxWait: number };
  readonly retainsPrompts: boolean;
  readonly trainsOnPrompts: boolean;
  readonly publishesPrompts: boolean;
  /** Countries (ISO codes) whose callers are refused. */
  readonly refusedCountries?: readonly string[];
  readonly listing?: ProviderListing;
}

/** One model at one provider in one variant (docs/spec/catalogue.md#endpoints). */
export interface Endpoint {
  readonly provider: Provider;
  /** The provider's own name for the model. */
  readonly upstreamModel: string;
  readonly tag: string;
  readonly tier: 'default' | 'flex' | 'priority';
  readonly quantization?: string;
  /** In tokens. */
  readonly contextLength?: number;
  /** In tokens. */
  readonly maxCompletionTokens?: number;
  /** In tokens. */
  readonly maxPromptTokens?: number;
  /**
   * Names of the vocabulary of docs/spec/routing.md#parameters; undefined means not declared: everything is passed on.
   */
  readonly supportedParameters?: ReadonlySet<string>;
  /** Undefined when no price is known: such an endpoint is never silently billed as free. */
  readonly price?: Price;
  /**
   * Milliseconds without a visible delta of a streamed answer until a second endpoint is tried in parallel; undefined
   * means never.
   */
  readonly hedgeAfter?: number;
  /** The most that is sent to it, besides the limits of its provider. */
  readonly limits?: CallLimits;
  readonly prior?: { readonly ttftMs: number; readonly tps: number };
  /** Never routed to: hidden, disabled, or deprecated by its provider. */
  readonly status?: 'hidden' | 'disabled' | 'deprecated';
  /** Ids of the accounts that may use it, before public endpoints; undefined means all. */
  readonly accounts?: ReadonlySet<string>;
  /** Where data is processed, such as `europe`; undefined means anywhere. */
  readonly dataRegion?: string;
  /** The provider filters input before the model sees it. */
  readonly isModerated?: boolean;
  /** It caches prompts without a request for it; undefined means unknown. */
  readonly cachesImplicitly?: boolean;
  /**
   * Requests to it are never blocked by the limits of free variants, but count towards them
   * (docs/spec/money.md#free-variants).
   */
  readonly freeLimitExempt?: boolean;
}

/** A model that clients can name (docs/spec/catalogue.md#models). */
export interface Model {
  readonly id: string;
  readonly canonicalSlug: string;
  readonly name: string;
  readonly description: string;
  /** Unix seconds. */
  readonly created: number;
  readonly family?: string;
  readonly contextLength?: number;
  readonly inputModalities: readonly Modality[];
  readonly outputModalities: readonly Modality[];
  /** Which of the two nobody declared: it counts as text only where the gateway chooses, and restricts no request. */
  readonly undeclared?: { readonly input: boolean; readonly output: boolean };
  readonly reasoning?: {
    readonly mandatory: boolean;
    readonly defaultEnabled?: boolean;
    readonly defaultEffort?: Effort;
    readonly supportedEfforts?: readonly Effort[];
    readonly supportsMaxTokens?: boolean;
  };
  readonly knowledgeCutoff?: string;
  /** Ids of the accounts that can see it; undefined means all. */
  readonly accounts?: ReadonlySet<string>;
  /** Whether its maker allows training other models on its answers; undefined means unknown. */
  readonly distillable?: boolean;
  /** The id of the model that serves its requests for the priority tier. */
  readonly fastSibling?: string;
  /** Set once it is retired. */
  readonly retired?: { readonly successor?: string };
  /** The UTC day of its retirement, as YYYY-MM-DD. */
  readonly expirationDate?: string;
  /** The id of the model that replaces it after its retirement. */
  readonly successor?: string;
  /** Left out of lists, suggestions and latest aliases; still served by name. */
  readonly hidden?: boolean;
  readonly listing?: ModelListing;
  readonly endpoints: readonly Endpoint[];
}

/** The models of one configuration; replaced as a whole when the configuration changes, never edited. */
export interface Catalogue {
  readonly models: ReadonlyMap<string, Model>;
  readonly providers: ReadonlyMap<string, Provider>;
  /** Other slugs of models, lowercase: legacy ones and, with their `~`, latest ones (docs/spec/routing.md#slugs). */
  readonly aliases?: ReadonlyMap<string, ModelAlias>;
}

/** The target of another slug. */
export interface ModelAlias {
  readonly kind: 'legacy' | 'latest';
  /** A key of the catalogue's models; undefined for a latest alias whose family has no model left. */
  readonly target?: string;
}
