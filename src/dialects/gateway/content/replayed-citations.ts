import type { Annotation } from '../../../core/delta.ts';
import type { ContentPart, TextPart } from '../../../core/request.ts';
import type { JsonObject } from '../../../util/json.ts';
import type { CarrierSeal } from '../../public-dialect.ts';
import { isCarrier, openCitation } from '../carrier.ts';
import { readAnnotations } from './annotations.ts';

/** Annotations of a text, and whether the text that follows belongs to it. */
interface Opened {
  readonly annotations: readonly Annotation[];
  readonly isContinued: boolean;
}

/**
 * Restores the citations of a message that a model wrote, whatever dialect the client got them in
 * (docs/spec/messages.md#citations). Blocks that were one text before a carrier divided them are one again; a text with
 * citations of the Messages format is divided where they begin and end.
 * @param seal Opens carriers; one that cannot be opened is left out.
 */
export function restoreCitations(
  parts: readonly ContentPart[],
  seal: CarrierSeal | undefined,
): readonly ContentPart[] {
  if (!parts.some(isCited)) return parts;
  const joined: ContentPart[] = [];
  let isContinued = false;
  for (const [index, part] of parts.entries()) {
    const before = joined.at(-1);
    const placed = { ...part, place: part.place ?? index };
    if (placed.kind !== 'text') {
      joined.push(placed);
      isContinued = false;
      continue;
    }
    const isNext = isContinued && before?.kind === 'text';
    const opened = openAll(placed, isNext ? before.text.length : 0, seal);
    if (isNext) joined[joined.length - 1] = joinTexts(before, placed, opened.annotations);
    else joined.push(withAnnotations(placed, opened.annotations));
    isContinued = opened.isContinued;
  }
  return joined.flatMap((part): readonly ContentPart[] => (part.kind === 'text' ? divide(part) : [part]));
}

/** Whether a part has citations of the Messages format; others need no restoring. */
function isCited(part: ContentPart): boolean {
  if (part.kind !== 'text') return false;
  return (
    part.citations !== undefined || part.annotations?.some((one) => originalOf(one) !== undefined) === true
  );
}

/** The citations of a part in the words of `input` bodies; carriers become what they hold. */
function openAll(part: TextPart, offset: number, seal: CarrierSeal | undefined): Opened {
  const end = offset + part.text.length;
  const annotations: Annotation[] = [];
  let isContinued = false;
  const add = (annotation: Annotation | undefined, carrier: string | undefined, place: number) => {
    if (carrier === undefined) {
      if (annotation !== undefined) annotations.push(moved(annotation, offset));
      return;
    }
    const carried = openCitation(carrier, seal);
    if (carried === undefined) return;
    isContinued = true;
    annotations.push(moved(carried.annotation, Math.max(0, place - carried.at)));
  };
  for (const annotation of part.annotations ?? []) {
    const place = annotation.type === 'url_citation' ? offset + annotation.end_index : end;
    add(annotation, carrierOf('citation' in annotation ? annotation.citation : undefined), place);
  }
  for (const citation of part.citations ?? []) {
    add(ofMessages(citation, part.text, `${part.path ?? 'content'}.citations`), carrierOf(citation), end);
  }
  return { annotations, isContinued };
}

function carrierOf(citation: JsonObject | undefined): string | undefined {
  const index = citation?.encrypted_index;
  return typeof index === 'string' && isCarrier(index) ? index : undefined;
}

/** A citation of a block: one of another dialect, or the provider's own for the whole block. */
function ofMessages(citation: JsonObject, text: string, path: string): Annotation | undefined {
  const known = readAnnotations([citation], path)?.[0];
  if (known !== undefined) return known;
  const named = (value: unknown) => (typeof value === 'string' ? value : '');
  const url = named(citation.url ?? citation.source);
  const title = named(citation.title ?? citation.document_title);
  const start_index = 0;
  const end_index = text.length;
  if (url !== '') return { type: 'url_citation', url, title, start_index, end_index, citation };
  const file_id = named(citation.file_id);
  return { type: 'file_citation', file_id, filename: title, index: end_index, start_index, citation };
}

/** A citation in a text that begins elsewhere. */
export function moved(annotation: Annotation, by: number): Annotation {
  if (by === 0) return annotation;
  if (annotation.type === 'file_path') return { ...annotation, index: annotation.index + by };
  const { start_index } = annotation;
  const begins = start_index === undefined ? {} : { start_index: start_index + by };
  return annotation.type === 'url_citation'
    ? { ...annotation, ...begins, end_index: annotation.end_index + by }
    : { ...annotation, ...begins, index: annotation.index + by };
}

function withAnnotations(part: TextPart, annotations: readonly Annotation[]): TextPart {
  const { annotations: _annotations, citations: _citations, ...plain } = part;
  return annotations.length === 0 ? plain : { ...plain, annotations };
}

function joinTexts(before: TextPart, after: TextPart, annotations: readonly Annotation[]): TextPart {
  const { cacheControl = before.cacheControl } = after;
  const joined = { ...before, text: before.text + after.text, ...(cacheControl && { cacheControl }) };
  return withAnnotations(joined, [...(before.annotations ?? []), ...annotations]);
}

/** A part of a text that is cited as a whole or not at all. */
interface Segment {
  readonly start: number;
  readonly end: number;
}

/** Divides a text where citations of the Messages format begin and end: each is one of a whole block there. */
function divide(part: TextPart): readonly TextPart[] {
  const { annotations = [], text } = part;
  const cited = annotations.map(citedSegment).filter((segment) => segment !== undefined);
  if (cited.length === 0) return [part];
  const { cacheControl, logprobs: _logprobs, ...plain } = part;
  const segments = segmentsOf(cited, text.length);
  const last = segments.length - 1;
  return segments.map(({ start, end }, index): TextPart => {
    const own = annotations.filter((annotation) => {
      const at = endOf(annotation);
      return (at > start || start === 0) && (at <= end || index === last);
    });
    const citations = own.map(originalOf).filter((citation) => citation !== undefined);
    return {
      ...withAnnotations(
        { ...plain, text: text.slice(start, end) },
        own.map((one) => moved(one, -start)),
      ),
      ...(citations.length > 0 && { citations }),
      ...(index === last && cacheControl && { cacheControl }),
    };
  });
}

/** Every character of the text once. Where citations overlap, the one that begins first is kept whole. */
function segmentsOf(cited: readonly Segment[], length: number): readonly Segment[] {
  const segments: Segment[] = [];
  let at = 0;
  for (const { start, end } of [...cited].sort((one, other) => one.start - other.start)) {
    const [from, to] = [Math.max(start, at), Math.min(end, length)];
    if (to <= from) continue;
    if (from > at) segments.push({ start: at, end: from });
    segments.push({ start: from, end: to });
    at = to;
  }
  if (at < length) segments.push({ start: at, end: length });
  return segments;
}

function citedSegment(annotation: Annotation): Segment | undefined {
  if (originalOf(annotation) === undefined) return undefined;
  const start = 'start_index' in annotation ? (annotation.start_index ?? 0) : 0;
  return { start, end: endOf(annotation) };
}

function originalOf(annotation: Annotation): JsonObject | undefined {
  return annotation.type === 'file_path' ? undefined : annotation.citation;
}

/** Where a citation ends in its text. */
export function endOf(annotation: Annotation): number {
  return annotation.type === 'url_citation' ? annotation.end_index : annotation.index;
}
