import type { NanoUsd } from './money.ts';
import type { Role } from './roles.ts';

/** Algorithms that tokens of an issuer may be signed with: never none, and never one whose secret both sides know. */
export const signingAlgorithms = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'] as const;

export type SigningAlgorithm = (typeof signingAlgorithms)[number];

/** Who signs tokens of workloads, and what they may do with them (docs/spec/workloads.md). Durations in milliseconds. */
export interface WorkloadIssuer {
  readonly id: string;
  /** The claim `iss`, compared as text. */
  readonly issuer: string;
  readonly keys: KeySource;
  /** A token names one of them in `aud`. */
  readonly audiences: readonly string[];
  readonly algorithms: readonly SigningAlgorithm[];
  /** How far clocks may differ. */
  readonly leeway: number;
  /** The longest time from `iat` to `exp`. */
  readonly maxLifetime: number;
  /** How long keys serve that cannot be read again. */
  readonly staleKeys: number;
  readonly policies: readonly WorkloadPolicy[];
}

/** Where the keys of an issuer are: a file, an address, or what its discovery document says. */
export interface KeySource {
  /** Absolute. */
  readonly file?: string;
  readonly uri?: string;
  /** Where neither is named: the issuer, below which the document is. */
  readonly issuer?: string;
  /** Absolute: trusted for these connections instead of what the system trusts. */
  readonly caFile?: string;
  /** Absolute: holds the token that the addresses want. */
  readonly fetchTokenFile?: string;
}

/** What a claim may be compared with. */
export type ClaimValue = string | number | boolean;

/** Which tokens a policy lets in, and what they act as. */
export interface WorkloadPolicy {
  /** Unique among all issuers. */
  readonly id: string;
  /** By the name of a claim what it may be; all of them must fit. */
  readonly conditions: Readonly<Record<string, readonly ClaimValue[]>>;
  /** Claims that together name the subject. */
  readonly subject: readonly string[];
  /** The only account of the installation where none is named. */
  readonly account?: string;
  /** A slug or id; the default workspace of the account where none is named. */
  readonly workspace?: string;
  readonly actsAs:
    | { readonly kind: 'inference'; readonly settings: DerivedKeySettings }
    | { readonly kind: 'management'; readonly role: Role }
    | { readonly kind: 'key'; readonly hash: string };
  /** Subjects that it makes keys for at most. */
  readonly maxSubjects: number;
}

/** What a key of a subject may do; it is that of the file at the time of each request. */
export interface DerivedKeySettings {
  readonly limit: NanoUsd | null;
  readonly limitReset: 'daily' | 'weekly' | 'monthly' | null;
  readonly includeByokInLimit: boolean;
  readonly allowedModels: readonly string[] | null;
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly parallel: number | null;
}
