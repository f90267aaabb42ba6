import { createHash } from 'node:crypto';
import type * as Wire from 'openai/resources/chat/completions';
import type { ContentPart, FilePart, ImagePart } from '../../core/request.ts';
import { inlineFile } from '../inline-file.ts';

/**
 * The end of a cacheable prefix, in the form of providers that accept marks; lifetimes are not translated.
 */
export interface CacheMark {
  cache_control?: { readonly type: 'ephemeral' };
}

/** A piece of text; only texts and media can be marked. */
export type WireText = { readonly type: 'text'; readonly text: string } & CacheMark;

/** A part of a user message; video is an extension of compatible providers. */
export type WirePart = (
  | Wire.ChatCompletionContentPart
  | { readonly type: 'video_url'; readonly video_url: { readonly url: string } }
) &
  CacheMark;

/** Encodes content as a string where it is all text, which every provider accepts, else as parts. */
export function encodeContent(parts: readonly ContentPart[], marks: boolean): string | WirePart[] {
  if (parts.every(isText) && !(marks && hasMark(parts))) return joinText(parts);
  return parts.map((part) => encodePart(part, marks));
}

/**
 * Encodes text for roles that accept nothing else: joined to one string, or as parts where marks must be kept.
 */
export function encodeTexts(
  parts: readonly ContentPart[],
  marks: boolean,
  separator = '\n',
): string | WireText[] {
  if (!marks || !hasMark(parts)) return joinText(parts, separator);
  return parts.filter(isText).map((part) => ({ type: 'text', text: part.text, ...markOf(part) }));
}

/** Joins the texts of the parts with a separator; omits parts without text. */
export function joinText(parts: readonly ContentPart[], separator = '\n'): string {
  return parts
    .filter(isText)
    .map((part) => part.text)
    .join(separator);
}

/** The parts that are not text. */
export function mediaParts(parts: readonly ContentPart[]): ContentPart[] {
  return parts.filter((part) => !isText(part));
}

/** One part of a user message. */
export function encodePart(part: ContentPart, marks: boolean): WirePart {
  return marks ? { ...encodeUnmarked(part), ...markOf(part) } : encodeUnmarked(part);
}

/**
 * Shortens the id of a call for providers that accept only their own form: nine letters or digits. The same id gives
 * the same result.
 */
export function shortCallId(id: string): string {
  return /^[A-Za-z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9);
}

function encodeUnmarked(part: ContentPart): WirePart {
  switch (part.kind) {
    case 'text':
    case 'refusal':
    case 'block':
      return { type: 'text', text: part.text ?? '' };
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
  // `auto` is the dialect's default, and it has nothing finer than `high`.
  const detail = part.detail === 'original' ? 'high' : part.detail;
  return { type: 'image_url', image_url: detail === 'auto' ? { url: part.url } : { url: part.url, detail } };
}

function encodeFile(part: FilePart): Wire.ChatCompletionContentPart.File.File {
  if (part.fileId !== undefined) return { file_id: part.fileId };
  const file = inlineFile(part);
  const ending = file?.mediaType.startsWith('text/') ? 'txt' : 'pdf';
  return {
    // The dialect has no member for file addresses; compatible providers that fetch them read this one.
    file_data: file ? `data:${file.mediaType};base64,${file.base64}` : part.url,
    filename: part.filename ?? `document.${ending}`,
  };
}

function hasMark(parts: readonly ContentPart[]): boolean {
  return parts.some((part) => 'cacheControl' in part && part.cacheControl !== undefined);
}

function markOf(part: ContentPart): CacheMark {
  return 'cacheControl' in part && part.cacheControl ? { cache_control: { type: 'ephemeral' } } : {};
}

function isText(part: ContentPart): part is Extract<ContentPart, { readonly text: string }> {
  return part.kind === 'text' || part.kind === 'refusal';
}
