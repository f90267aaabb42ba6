import type * as Wire from '@anthropic-ai/sdk/resources/messages';
import type { Annotation } from '../../core/delta.ts';
import { type Lenient, textOf } from '../lenient.ts';

/**
 * Reads a citation of a web page, or of a document of the conversation, which is identified by its position.
 */
export function readCitation(
  citation: Lenient<Wire.TextCitation>,
  start_index: number,
  end_index: number,
): Annotation | undefined {
  const content = textOf(citation.cited_text);
  switch (citation.type) {
    case 'web_search_result_location':
    case 'search_result_location': {
      const url = textOf(citation.type === 'search_result_location' ? citation.source : citation.url);
      const title = citation.title ?? '';
      return url === undefined
        ? undefined
        : { type: 'url_citation', url, title, start_index, end_index, content };
    }
    case 'char_location':
    case 'page_location':
    case 'content_block_location': {
      const file_id = citation.file_id ?? '';
      return { type: 'file_citation', file_id, filename: citation.document_title ?? '', index: end_index };
    }
    default:
      return undefined;
  }
}
