import type { JsonObject } from '../util/json.ts';
import type { Annotation, OutputLogprob } from './delta.ts';

/** An item or part, and where the caller wrote it. */
export interface Placed {
  /** Its index in the caller's list, where empty ones were removed from that. */
  readonly place?: number;
  /** Where it stands in a body that has no `input`, such as `messages[3].content[1]`. */
  readonly path?: string;
}

/** Where a cacheable prefix ends, and for how long it should be kept. */
export interface CacheControl {
  readonly ttl: '5m' | '1h';
}

/** Text that only its maker can read. */
export interface EncryptedPart extends Placed {
  readonly kind: 'encrypted';
  readonly encrypted: string;
}

/** A part of a message or of a tool's output. */
export type ContentPart = TextPart | ImagePart | FilePart | AudioPart | VideoPart | RefusalPart | BlockPart;

/**
 * A block that only the Messages format knows: a search result, a document of text, a tool reference, and kinds nobody
 * here knows (docs/spec/messages.md#blocks).
 */
export interface BlockPart extends Placed {
  readonly kind: 'block';
  /** The block as the caller wrote it, without its `cache_control`. */
  readonly block: JsonObject;
  /** The same in words, for everybody else; undefined where words cannot replace it. */
  readonly text?: string;
  readonly cacheControl?: CacheControl;
}

/** The text of a model's refusal. */
export interface RefusalPart extends Placed {
  readonly kind: 'refusal';
  readonly text: string;
}

/** Text, with the citations and log probabilities of the model that wrote it. */
export interface TextPart extends Placed {
  readonly kind: 'text';
  readonly text: string;
  readonly annotations?: readonly Annotation[];
  /** For a provider with the same part types. */
  readonly logprobs?: readonly OutputLogprob[];
  /** Citations in the Messages format, as the provider gave them. */
  readonly citations?: readonly JsonObject[];
  /** Set where a cacheable prefix ends with this part. */
  readonly cacheControl?: CacheControl;
}

/** A picture by https or data URL, or by a provider's file id; exactly one of them is set. */
export interface ImagePart extends Placed {
  readonly kind: 'image';
  readonly url?: string;
  readonly fileId?: string;
  readonly detail: 'auto' | 'high' | 'low' | 'original';
  /** Taken from a file by the gateway: left out where the model reads no pictures, so it restricts no endpoint. */
  readonly ofFile?: true;
  readonly cacheControl?: CacheControl;
}

/** A document, by data URL or base64 (`data`), by URL or by file id; exactly one of them is set. */
export interface FilePart extends Placed {
  readonly kind: 'file';
  readonly data?: string;
  readonly url?: string;
  readonly fileId?: string;
  readonly filename?: string;
  /** What is said about a document beside it; only the Messages format has a place for it. */
  readonly context?: string;
  /** Whether the answer should cite it; undefined leaves that to the provider's row. */
  readonly cites?: boolean;
  readonly cacheControl?: CacheControl;
}

/** Audio in base64. */
export interface AudioPart extends Placed {
  readonly kind: 'audio';
  readonly data: string;
  readonly format: 'mp3' | 'wav';
}

/** A video by data URL or URL. */
export interface VideoPart extends Placed {
  readonly kind: 'video';
  readonly url: string;
  readonly processing?: 'agentic' | 'static';
}
