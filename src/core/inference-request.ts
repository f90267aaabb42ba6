import type { JsonObject } from '../util/json.ts';
import type { ParsedFile } from './parsed-file.ts';
import type { CanonicalChat, CanonicalRequest } from './request.ts';
import type { RouterOutcome } from './routed-models.ts';

/**
 * How a caller wants requests to be routed: the `provider` field (docs/spec/routing.md#preferences). Undefined means
 * unset.
 */
export interface ProviderPreferences {
  readonly order?: readonly string[];
  readonly only?: readonly string[];
  readonly ignore?: readonly string[];
  readonly allowFallbacks?: boolean;
  readonly requireParameters?: boolean;
  readonly dataCollection?: 'allow' | 'deny';
  readonly zdr?: boolean;
  readonly enforceDistillableText?: boolean;
  readonly quantizations?: readonly string[];
  readonly sort?: {
    readonly by?: 'price' | 'throughput' | 'latency' | 'exacto';
    readonly partition: 'model' | 'none';
  };
  /** Tokens per second at the named percentiles. */
  readonly preferredMinThroughput?: Percentiles;
  /** Seconds at the named percentiles. */
  readonly preferredMaxLatency?: Percentiles;
  /** Decimal text: prompt and completion in USD per million tokens, the others in USD per unit. */
  readonly maxPrice?: {
    readonly prompt?: string;
    readonly completion?: string;
    readonly request?: string;
    readonly image?: string;
    readonly audio?: string;
  };
}

/** Cutoffs at percentiles; a plain number in the request means p50. */
export interface Percentiles {
  readonly p50?: number;
  readonly p75?: number;
  readonly p90?: number;
  readonly p99?: number;
}

/** One difference between the caller's body and the request that was read from it. */
export interface ReadAlteration {
  /** The place in the caller's body. */
  readonly field: string;
  readonly action: 'dropped' | 'adapted';
  /** What was done instead, or why nothing was; for people. */
  readonly how: string;
}

/** A plugin as a request names it (docs/spec/requests.md#plugins). */
export interface PluginEntry {
  readonly id: string;
  /** False where the request turns the plugin off, also against a default. */
  readonly enabled: boolean;
  /** Its checked members besides `id` and `enabled`, as on the wire. */
  readonly settings: JsonObject;
}

/**
 * A client's request, checked and divided into the model's part and the gateway's part: one that wants a chat, unless
 * another kind is named.
 */
export interface InferenceRequest<Wanted extends CanonicalRequest = CanonicalChat> {
  readonly canonical: Wanted;
  /** Slugs in the order of attempts, without duplicates; at least one. */
  readonly models: readonly string[];
  /** How the client spelled slugs in which the operator's word for `service` was replaced, by slug. */
  readonly spellings?: ReadonlyMap<string, string>;
  /** Slugs that stand for a name that is none, by `compat.model_aliases` or by the rules of a client's format. */
  readonly renamed?: ReadonlySet<string>;
  /** What routers chose, by the slug that names them; undefined before they were asked. */
  readonly routed?: ReadonlyMap<string, RouterOutcome>;
  /** The `model` of the latest assistant message, where the client kept it. */
  readonly lastModel?: string;
  readonly provider: ProviderPreferences;
  /** The plugins the request names, each id once; undefined without any. */
  readonly plugins?: readonly PluginEntry[];
  /** Settings of searches that a provider makes, as a hosted tool has them; they turn none on. */
  readonly nativeSearch?: JsonObject;
  /** Files that an earlier answer showed as read, as the client gave them back; undefined without any. */
  readonly parsedFiles?: readonly ParsedFile[];
  /** Whether the client fails at annotations that it does not know, so that files are not shown to it. */
  readonly hidesFiles?: boolean;
  /** Whether the gateway reads its files for endpoints that cannot: then files restrict no endpoint. */
  readonly readsFiles?: boolean;
  readonly stream: boolean;
  readonly sessionId?: string;
  /** The end user as the caller names them: for the record, never for a provider. */
  readonly user?: string;
  readonly safetyIdentifier?: string;
  /** Whether to add a report of the routing to the answer. */
  readonly wantsMetadata: boolean;
  /** Whether to refuse the request rather than alter it for a provider (`X-Service-Strict`). */
  readonly strict: boolean;
  /** Whether the stream should begin with the bodies sent to providers. */
  readonly echoUpstreamBody: boolean;
  /** What was altered already when the request was read, for every endpoint alike. */
  readonly altered?: readonly ReadAlteration[];
  /** Names of the vocabulary of docs/spec/routing.md#parameters that the request uses, for endpoint selection. */
  readonly parameters: readonly string[];
}

/** A client's request of any kind: what the road that all kinds share works on. */
export type AnyRequest = InferenceRequest<CanonicalRequest>;

/** Whether a request wants a chat. */
export function wantsChat(request: AnyRequest): request is InferenceRequest {
  return request.canonical.kind === 'chat';
}

/** A slug of a request as its client spelled it: what errors repeat. */
export function asSpelled(slug: string, { spellings }: Pick<AnyRequest, 'spellings'>): string {
  return spellings?.get(slug) ?? slug;
}

/** Who sent a request, for the record only. */
export interface ClientAttribution {
  readonly httpReferer?: string;
  /** The origin of the web page, where a browser sent it. */
  readonly origin?: string;
  readonly appTitle?: string;
  readonly userAgent?: string;
  /** The slug of the preset that the request names, and its id where it is stored. */
  readonly preset?: string;
  readonly presetId?: string;
}
