import type { Annotation } from '../../core/delta.ts';
import { textOf } from '../lenient.ts';
import type { WireCitation } from './wire-events.ts';

/**
 * Reads a citation of a web page, or of a document of the conversation, which is identified by its position.
 */
export function readCitation(citation: WireCitation, start_index: number, end_index: number): Annotation {
  const source = textOf(citation.source);
  const url = textOf(citation.location?.web?.url) ?? (source && URL.canParse(source) ? source : undefined);
  const title = citation.title ?? '';
  const cited = (citation.sourceContent ?? []).map(({ text }) => text ?? '').join('');
  if (url === undefined) return { type: 'file_citation', file_id: '', filename: title, index: end_index };
  return { type: 'url_citation', url, title, start_index, end_index, content: textOf(cited) };
}
