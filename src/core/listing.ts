/** Labels an operator may give a model (routing.md 1.5). */
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

/** What lists tell of a model besides what routing reads (routing.md 1.2). Undefined is unknown. */
export interface ModelListing {
  readonly categories?: readonly ModelCategory[];
  readonly benchmarks?: Benchmarks;
  /** Place among coding models, from 0 to 100. */
  readonly codingPercentile?: number;
  /** The family of its tokenizer, in the contract's words. */
  readonly tokenizer?: string;
  /** The chat template it was trained on, in the contract's words. */
  readonly instructType?: string;
  /** Sampling parameters it presumes, by their public names. */
  readonly defaultParameters?: Readonly<Record<string, number>>;
  readonly huggingFaceId?: string;
  readonly supportedVoices?: readonly string[];
}

/** Scores an operator imported. */
export interface Benchmarks {
  readonly intelligence?: number;
  readonly coding?: number;
  readonly agentic?: number;
  readonly arenas?: readonly ArenaRow[];
}

/** A model's place in one arena. */
export interface ArenaRow {
  readonly arena: string;
  readonly category: string;
  readonly elo: number;
  readonly winRate: number;
  readonly rank: number;
}

/** What lists tell of a provider (routing.md 1.3). Countries are ISO codes. */
export interface ProviderListing {
  readonly privacyPolicyUrl?: string;
  readonly termsOfServiceUrl?: string;
  readonly statusPageUrl?: string;
  readonly headquarters?: string;
  readonly datacenters?: readonly string[];
}
