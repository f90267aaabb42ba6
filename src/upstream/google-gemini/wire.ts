import type * as Sdk from '@google/genai';

/** A type of the vendor's package as JSON contains it: enumerations as plain text. */
type Plain<T> = T extends string
  ? `${T}`
  : T extends readonly (infer Entry)[]
    ? Plain<Entry>[]
    : T extends object
      ? { [Key in keyof T]: Plain<T[Key]> }
      : T;

/** One piece of a turn. */
export type Part = Plain<Sdk.Part>;

/** One turn. */
export interface Content {
  readonly role: 'user' | 'model';
  readonly parts: Part[];
}

export type FunctionResponse = Plain<Sdk.FunctionResponse>;
export type Tool = Plain<Sdk.Tool>;
export type FunctionDeclaration = Plain<Sdk.FunctionDeclaration>;
export type ToolConfig = Plain<Sdk.ToolConfig>;
export type GenerationConfig = Plain<
  Omit<Sdk.GenerationConfig, 'responseModalities'> & { imageConfig?: object; responseModalities?: string[] }
>;
export type ThinkingConfig = Plain<Sdk.ThinkingConfig>;
export type ServiceTier = `${Sdk.ServiceTier}`;

/** The body of a call. */
export interface GenerateContentBody {
  readonly contents: readonly Content[];
  readonly systemInstruction?: { readonly parts: readonly Part[] };
  readonly tools?: readonly Tool[];
  readonly toolConfig?: ToolConfig;
  readonly generationConfig?: GenerationConfig;
  readonly serviceTier?: ServiceTier;
}

export type Candidate = Plain<Sdk.Candidate>;
export type GroundingMetadata = Plain<Sdk.GroundingMetadata>;
export type GroundingSupport = Plain<Sdk.GroundingSupport>;
export type LogprobsResult = Plain<Sdk.LogprobsResult>;
export type UrlContextMetadata = Plain<Sdk.UrlContextMetadata>;
export type ModalityTokenCount = Plain<Sdk.ModalityTokenCount>;

/** Token counts; one host reports the tier that served, the other the kind of traffic. */
export type UsageMetadata = Plain<
  Sdk.GenerateContentResponseUsageMetadata & Pick<Sdk.UsageMetadata, 'serviceTier'>
>;

/** A whole answer, or one event of a stream. */
export interface Answer {
  readonly responseId?: string;
  readonly candidates?: readonly Candidate[];
  readonly promptFeedback?: Plain<Sdk.GenerateContentResponsePromptFeedback>;
  readonly usageMetadata?: UsageMetadata;
}
