/**
 * The members of the dialect's answers that are read. The vendor's types say which are mandatory; here every one may
 * be missing.
 */
export interface ConverseEvent {
  readonly contentBlockIndex?: number | null;
  readonly start?: BlockStart | null;
  readonly delta?: BlockPiece | null;
  readonly stopReason?: string | null;
  readonly usage?: WireUsage | null;
  readonly serviceTier?: { readonly type?: string | null } | null;
}

/** How a block begins; text and thoughts have no beginning. */
export interface BlockStart {
  readonly toolUse?: { readonly toolUseId?: string | null; readonly name?: string | null } | null;
  readonly image?: { readonly format?: string | null } | null;
}

/** The pieces that extend a block. */
export interface BlockPiece {
  readonly text?: string | null;
  readonly toolUse?: { readonly input?: string | null } | null;
  readonly reasoningContent?: ReasoningPiece | null;
  readonly citation?: WireCitation | null;
  readonly image?: { readonly source?: { readonly bytes?: string | null } | null } | null;
}

/** Thoughts, their signature, or redacted thoughts in base64. */
export interface ReasoningPiece {
  readonly text?: string | null;
  readonly signature?: string | null;
  readonly redactedContent?: string | null;
}

/** The source of cited text. */
export interface WireCitation {
  readonly title?: string | null;
  readonly source?: string | null;
  readonly sourceContent?: readonly { readonly text?: string | null }[] | null;
  readonly location?: { readonly web?: { readonly url?: string | null } | null } | null;
}

/** A block of an unstreamed answer. */
export interface WholeBlock {
  readonly text?: string | null;
  readonly toolUse?: {
    readonly toolUseId?: string | null;
    readonly name?: string | null;
    readonly input?: unknown;
  } | null;
  readonly reasoningContent?: {
    readonly reasoningText?: { readonly text?: string | null; readonly signature?: string | null } | null;
    readonly redactedContent?: string | null;
  } | null;
  readonly citationsContent?: {
    readonly content?: readonly { readonly text?: string | null }[] | null;
    readonly citations?: readonly WireCitation[] | null;
  } | null;
  readonly image?: {
    readonly format?: string | null;
    readonly source?: { readonly bytes?: string | null } | null;
  } | null;
}

/** Token counts; cache reads and writes are not part of `inputTokens`. */
export interface WireUsage {
  readonly inputTokens?: unknown;
  readonly outputTokens?: unknown;
  readonly cacheReadInputTokens?: unknown;
  readonly cacheWriteInputTokens?: unknown;
  readonly cacheDetails?: readonly { readonly ttl?: unknown; readonly inputTokens?: unknown }[] | null;
}
