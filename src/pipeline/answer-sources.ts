import type { AnswerPart } from '../core/answer-part.ts';
import type { InnerSource } from '../core/inner-turn.ts';
import { isObject, type JsonObject } from '../util/json.ts';

/** How many pages an answer names at most. */
const mostSources = 500;

/** Collects the pages that an answer rests on: those it cites, and those its tools searched or fetched. */
export class AnswerSources {
  readonly #titles = new Map<string, string>();

  /** In the order in which they came, each address once. */
  get all(): readonly InnerSource[] {
    return Array.from(this.#titles, ([url, title]) => ({ url, title }));
  }

  /** Takes the next part of the answer. */
  add(part: AnswerPart): void {
    if (part.kind === 'annotation' && part.annotation.type === 'url_citation') this.#note(part.annotation);
    else if (part.kind === 'result') this.#noteAll(part.fields);
    else if (part.kind === 'executed') {
      this.#noteAll(part.fields);
      if (part.type === 'service:web_fetch' && !part.fields.error) this.#note(part.fields);
    }
  }

  #noteAll({ action }: JsonObject): void {
    const { sources } = isObject(action) ? action : {};
    for (const source of Array.isArray(sources) ? sources : []) if (isObject(source)) this.#note(source);
  }

  #note({ url, title }: { readonly url?: unknown; readonly title?: unknown }): void {
    if (typeof url !== 'string' || url === '') return;
    const known = this.#titles.get(url);
    if (known === undefined && this.#titles.size >= mostSources) return;
    this.#titles.set(url, known || (typeof title === 'string' ? title : ''));
  }
}
