import type * as Wire from 'openai/resources/chat/completions';
import type { ContentPart, FilePart, ImagePart } from '../../core/request.ts';
import { inlineFile } from '../inline-file.ts';

/** A part of a user message; moving pictures are a custom of the look-alikes. */
export type WirePart =
  | Wire.ChatCompletionContentPart
  | { readonly type: 'video_url'; readonly video_url: { readonly url: string } };

/** Content as text where it is nothing but text, which every look-alike takes, else as parts. */
export function encodeContent(parts: readonly ContentPart[]): string | WirePart[] {
  return parts.every(isText) ? joinText(parts) : parts.map(encodePart);
}

/** The text of the parts, one line break between two; parts that hold none are left out. */
export function joinText(parts: readonly ContentPart[]): string {
  return parts
    .filter(isText)
    .map((part) => part.text)
    .join('\n');
}

/** The parts that cannot be told as text. */
export function mediaParts(parts: readonly ContentPart[]): ContentPart[] {
  return parts.filter((part) => !isText(part));
}

/** One part of a user message. */
export function encodePart(part: ContentPart): WirePart {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return { type: 'text', text: part.text };
    case 'image':
      return encodeImage(part);
    case 'file':
      return { type: 'file', file: encodeFile(part) };
    case 'audio':
      return { type: 'input_audio', input_audio: { data: part.data, format: part.format } };
    case 'video':
      return { type: 'video_url', video_url: { url: part.url } };
  }
}

function encodeImage(part: ImagePart): WirePart {
  if (part.url === undefined) return { type: 'file', file: { file_id: part.fileId } };
  // `auto` is what the dialect does unasked, and it knows nothing finer than `high`.
  const detail = part.detail === 'original' ? 'high' : part.detail;
  return { type: 'image_url', image_url: detail === 'auto' ? { url: part.url } : { url: part.url, detail } };
}

function encodeFile(part: FilePart): Wire.ChatCompletionContentPart.File.File {
  if (part.fileId !== undefined) return { file_id: part.fileId };
  const file = inlineFile(part);
  const ending = file?.mediaType.startsWith('text/') ? 'txt' : 'pdf';
  return {
    // The dialect has no member for addresses; the look-alikes that fetch them look here.
    file_data: file ? `data:${file.mediaType};base64,${file.base64}` : part.url,
    filename: part.filename ?? `document.${ending}`,
  };
}

function isText(part: ContentPart): part is Extract<ContentPart, { readonly text: string }> {
  return part.kind === 'text' || part.kind === 'refusal';
}
