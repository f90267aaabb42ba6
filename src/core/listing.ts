/** Labels that an operator may give a model (docs/spec/catalogue.md#models). */
export const modelCategories = [
  'programming',
  'roleplay',
  'marketing',
  'marketing/seo',
  'technology',
  'science',
  'translation',
  'legal',
  'finance',
  'health',
  'trivia',
  'academia',
] as const;

/** A label of a model. */
export type ModelCategory = (typeof modelCategories)[number];

/** What lists show of a model besides what routing reads (docs/spec/catalogue.md#models). Undefined means unknown. */
export interface ModelListing {
  readonly categories?: readonly ModelCategory[];
  readonly benchmarks?: Benchmarks;
  /** Rank among coding models, from 0 to 100. */
  readonly codingPercentile?: number;
  /** The family of its tokenizer, in the contract's terms. */
  readonly tokenizer?: string;
  /** The chat template of its training, in the contract's terms. */
  readonly instructType?: string;
  /** Its default sampling parameters, by their public names. */
  readonly defaultParameters?: Readonly<Record<string, number>>;
  readonly huggingFaceId?: string;
  readonly supportedVoices?: readonly string[];
}

/** Scores that an operator imported. */
export interface Benchmarks {
  readonly intelligence?: number;
  readonly coding?: number;
  readonly agentic?: number;
  readonly arenas?: readonly ArenaRow[];
}

/** A model's rank in one arena. */
export interface ArenaRow {
  readonly arena: string;
  readonly category: string;
  readonly elo: number;
  readonly winRate: number;
  readonly rank: number;
}

/** What lists show of a provider (docs/spec/catalogue.md#providers). Countries are ISO codes. */
export interface ProviderListing {
  readonly privacyPolicyUrl?: string;
  readonly termsOfServiceUrl?: string;
  readonly statusPageUrl?: string;
  readonly headquarters?: string;
  readonly datacenters?: readonly string[];
}
