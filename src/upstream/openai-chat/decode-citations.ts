import type { Annotation } from '../../core/delta.ts';
import { isObject } from '../../util/json.ts';
import { countOf, textOf } from '../lenient.ts';
import type { Chunk, ChunkDelta } from './chunk.ts';

/** A page that an answer cites. */
interface Source {
  readonly url: string;
  readonly title: string;
}

const mark = /\[(\d{1,3})\]/g;

/**
 * Collects the citations of one answer in either form: annotations with offsets, or a list of sources to which the
 * text refers by `[n]`. Each citation is emitted once, however often chunks repeat it.
 */
export class Citations {
  #sources: readonly Source[] = [];
  readonly #emitted = new Set<string>();

  /** Stores the sources that a chunk lists; a later list replaces an earlier one. */
  note(chunk: Chunk): void {
    const lists = [
      chunk.search_results,
      chunk.search_info?.search_results,
      chunk.web_search,
      chunk.citations,
    ];
    for (const list of lists) {
      const sources = Array.isArray(list) ? list.flatMap(readSource) : [];
      if (sources.length === 0) continue;
      this.#sources = sources;
      return;
    }
  }

  /** The new annotations of a chunk; missing offsets become 0. */
  read(annotations: NonNullable<ChunkDelta['annotations']>): Annotation[] {
    const found = annotations.flatMap((entry): Annotation[] => {
      const citation = entry.url_citation ?? entry;
      const url = textOf(citation.url);
      const content = textOf(citation.content);
      if (url === undefined) return [];
      return [
        {
          type: 'url_citation',
          url,
          title: textOf(citation.title) ?? '',
          start_index: countOf(citation.start_index) ?? 0,
          end_index: countOf(citation.end_index) ?? 0,
          ...(content === undefined ? {} : { content }),
        },
      ];
    });
    return this.#fresh(found);
  }

  /** The sources as annotations of the finished text: at each `[n]` that refers to one, else at its start. */
  ofText(text: string): Annotation[] {
    if (this.#sources.length === 0) return [];
    const unused = new Set(this.#sources);
    const found: Annotation[] = [];
    for (const match of text.matchAll(mark)) {
      const source = this.#sources[Number(match[1]) - 1];
      if (source === undefined) continue;
      unused.delete(source);
      found.push(cite(source, match.index, match.index + match[0].length));
    }
    return this.#fresh([...found, ...[...unused].map((source) => cite(source, 0, 0))]);
  }

  #fresh(annotations: readonly Annotation[]): Annotation[] {
    return annotations.filter((annotation) => {
      const words = JSON.stringify(annotation);
      if (this.#emitted.has(words)) return false;
      this.#emitted.add(words);
      return true;
    });
  }
}

function readSource(entry: unknown): Source[] {
  if (typeof entry === 'string') return entry === '' ? [] : [{ url: entry, title: '' }];
  if (!isObject(entry)) return [];
  const url = textOf(entry.url) ?? textOf(entry.link);
  return url === undefined ? [] : [{ url, title: textOf(entry.title) ?? '' }];
}

function cite({ url, title }: Source, start_index: number, end_index: number): Annotation {
  return { type: 'url_citation', url, title, start_index, end_index };
}
