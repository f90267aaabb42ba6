import type { Secret } from '../util/secret.ts';
import type { ModelListing, ProviderListing } from './listing.ts';
import type { PicoUsd } from './money.ts';
import type { Effort } from './request.ts';

/** What a model can read or write. */
export type Modality = 'text' | 'image' | 'file' | 'audio' | 'video';

/** Prices in pico-USD per token, or per request, image or search (accounts-and-limits 13). */
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
  /** A picture in the answer; with it, output tokens that are pictures cost nothing more. */
  readonly imageOutput?: PicoUsd;
  readonly webSearch?: PicoUsd;
  /** Other prices under conditions; all conditions of an entry must hold, later entries win (routing.md 1.4). */
  readonly overrides?: readonly PriceOverride[];
  /** The fraction, in basis points, already taken off the prices of inference above; for display. */
  readonly discountBasisPoints?: number;
}

/** Prices that replace those of the same name while its conditions hold. */
export interface PriceOverride extends Partial<Omit<Price, 'overrides' | 'discountBasisPoints'>> {
  /** Holds when the whole input is strictly longer, in tokens. */
  readonly minPromptTokens?: number;
  /** Holds from `utcStart` until before `utcEnd`, both HHMM; may wrap midnight, which also stands for either left out. */
  readonly utcStart?: string;
  readonly utcEnd?: string;
}

/** Time limits of one attempt, in milliseconds. */
export interface Timeouts {
  readonly connect: number;
  /** From sending the request to the first event of the answer; unstreamed answers are not held to it. */
  readonly firstEvent: number;
  /** Of the whole attempt. */
  readonly total: number;
  /** Between two events. */
  readonly idle: number;
}

/** Someone who serves models, and how to reach them. */
export interface Provider {
  readonly slug: string;
  readonly name: string;
  /** The adapter that speaks this provider's dialect; a key of the upstream registry. */
  readonly adapter: string;
  /** Without a trailing slash; undefined only for adapters that need no network. */
  readonly baseUrl?: string;
  readonly apiKey?: Secret;
  /** The operator has no credential of it: it serves with those of accounts alone. */
  readonly ownCredentialsOnly?: boolean;
  /** Sent with every request; values may be secret and are never logged. */
  readonly headers: Readonly<Record<string, string>>;
  /** Oddities of a look-alike provider, read by its adapter only. */
  readonly quirks: Readonly<Record<string, unknown>>;
  readonly timeouts: Timeouts;
  readonly retainsPrompts: boolean;
  readonly trainsOnPrompts: boolean;
  readonly publishesPrompts: boolean;
  /** Countries (ISO codes) whose callers it refuses. */
  readonly refusedCountries?: readonly string[];
  readonly listing?: ProviderListing;
}

/** One model at one provider in one flavour (routing.md 1.3). */
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
  /** Names of the vocabulary of routing.md 3.3; undefined means not declared: everything is passed on. */
  readonly supportedParameters?: ReadonlySet<string>;
  /** Undefined when nobody stated one: such an endpoint is never billed silently as free. */
  readonly price?: Price;
  /** Milliseconds without a visible delta of a streamed answer until a second endpoint is asked; undefined is never. */
  readonly hedgeAfter?: number;
  readonly prior?: { readonly ttftMs: number; readonly tps: number };
  /** Never routed to: hidden, switched off, or taken out of service by its provider. */
  readonly status?: 'hidden' | 'disabled' | 'deprecated';
  /** Ids of the accounts that may use it, before public endpoints; undefined is everybody. */
  readonly accounts?: ReadonlySet<string>;
  /** Where data is processed, such as `europe`; undefined is anywhere. */
  readonly dataRegion?: string;
  /** The provider checks what is sent before the model sees it. */
  readonly isModerated?: boolean;
  /** It caches prompts without being told to; undefined is unknown. */
  readonly cachesImplicitly?: boolean;
  /** No limit of free variants keeps a request from it; it counts all the same (accounts-and-limits 12.4). */
  readonly freeLimitExempt?: boolean;
}

/** A model clients can name (routing.md 1.2). */
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
  /** Ids of the accounts that know it; undefined is everybody. */
  readonly accounts?: ReadonlySet<string>;
  /** Whether its maker allows training other models on its answers; undefined is unknown. */
  readonly distillable?: boolean;
  /** The id of the model that serves its requests for the priority tier. */
  readonly fastSibling?: string;
  /** Set once it is retired. */
  readonly retired?: { readonly successor?: string };
  /** The UTC day it is retired on, as YYYY-MM-DD. */
  readonly expirationDate?: string;
  /** The id of the model that takes its place when it is retired. */
  readonly successor?: string;
  /** Left out of lists, suggestions and latest aliases; served to who names it. */
  readonly hidden?: boolean;
  readonly listing?: ModelListing;
  readonly endpoints: readonly Endpoint[];
}

/** The models one configuration offers; replaced whole when the configuration changes, never edited. */
export interface Catalogue {
  readonly models: ReadonlyMap<string, Model>;
  readonly providers: ReadonlyMap<string, Provider>;
  /** Other slugs of models, in lowercase: legacy ones and, with their `~`, latest ones (routing.md 1.1). */
  readonly aliases?: ReadonlyMap<string, ModelAlias>;
}

/** What another slug stands for. */
export interface ModelAlias {
  readonly kind: 'legacy' | 'latest';
  /** A key of the catalogue's models; undefined for a latest alias whose family has no model left. */
  readonly target?: string;
}
