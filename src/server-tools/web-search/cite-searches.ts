import type { AnswerParts, ExecutedPart } from '../../core/answer-part.ts';
import { isObject, parseJson } from '../../util/json.ts';
import { Citations } from '../../web-search/cite.ts';
import type { SearchResult } from '../../web-search/search-engine.ts';

/** Results of one request that citations may name. */
const mostResults = 200;

/** Cites what the tool `service:web_search` found in the texts that come after it. */
export class SearchCitations {
  readonly #results: SearchResult[] = [];
  readonly #citations = new Citations(this.#results);

  /** A batch of the answer with citations. */
  add(parts: AnswerParts): AnswerParts {
    let cited = parts;
    if (this.#results.length > 0) cited = this.#citations.add(parts);
    for (const part of parts) {
      if (part.kind === 'executed' && part.type === 'service:web_search') this.#note(part);
    }
    return cited;
  }

  #note({ call }: ExecutedPart): void {
    const output: unknown = call === undefined ? undefined : parseJson(call.output);
    const results = isObject(output) && Array.isArray(output.results) ? output.results : [];
    for (const result of results) {
      if (this.#results.length >= mostResults || !isObject(result)) return;
      const { url, title, content } = result;
      if (typeof url !== 'string' || this.#results.some((known) => known.url === url)) continue;
      this.#results.push({ url, title: String(title ?? ''), content: String(content ?? '') });
    }
  }
}
