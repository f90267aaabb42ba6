/**
 * A file as the gateway read it (docs/spec/plugins.md#annotations). Clients get it with the answer, and a later request that
 * holds both is not charged for the same file again.
 */
export interface ParsedFile {
  /** SHA-256 of its bytes in hexadecimal digits, or of its address where the gateway never had the bytes. */
  readonly hash: string;
  readonly name?: string;
  readonly content: readonly ParsedContent[];
}

/** A piece of a file, as on the wire. */
export type ParsedContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };

/** A file as answers and errors show it. */
export interface FileAnnotation {
  readonly type: 'file';
  readonly file: ParsedFile;
}

/** Shows a file. */
export function toFileAnnotation(file: ParsedFile): FileAnnotation {
  return { type: 'file', file };
}
