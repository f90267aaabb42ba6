import type { AnswerPart, AnswerParts } from '../core/answer-part.ts';
import type { Annotation, Delta } from '../core/delta.ts';
import type { SearchResult } from './search-engine.ts';

type TextDelta = Extract<Delta, { kind: 'text' }>;

/** Longer texts are not searched for links. */
const longestText = 256 * 1024;
/** Characters of the title of a link. */
const longestTitle = 500;
/** Citations of one text; each repeats the excerpt of its page. */
const mostCitations = 100;

interface OpenText {
  readonly block: number;
  readonly part: number;
  text: string;
  /** What is cited already: addresses and where their words begin. */
  readonly cited: Set<string>;
}

/**
 * Adds citations to the texts of an answer: where a text has the address of a result, as a link or bare, the link is a citation of
 * it (docs/spec/plugins.md#citations). A text gets them before it ends; places are UTF-16 units.
 */
export class Citations {
  readonly #results: readonly SearchResult[];
  #open: OpenText | undefined;

  constructor(results: readonly SearchResult[]) {
    this.#results = results;
  }

  /** A batch of the answer with the citations of the texts that end in it. */
  add(parts: AnswerParts): AnswerParts {
    const added: AnswerPart[] = [];
    for (const part of parts) {
      if (this.#open !== undefined && endsText(part, this.#open)) added.push(...this.#close(this.#open));
      if (part.kind === 'text') this.#read(part);
      else if (part.kind === 'annotation') this.#open?.cited.add(placeOf(part.annotation));
      added.push(part);
    }
    return added;
  }

  #read({ block, part = 0, text }: TextDelta): void {
    this.#open ??= { block, part, text: '', cited: new Set() };
    if (this.#open.text.length <= longestText) this.#open.text += text;
  }

  #close({ block, text, cited }: OpenText): readonly AnswerPart[] {
    this.#open = undefined;
    return findCitations(text, this.#results)
      .filter((annotation) => !cited.has(placeOf(annotation)))
      .map((annotation) => ({ kind: 'annotation', block, annotation }));
  }
}

function placeOf(annotation: Annotation): string {
  return annotation.type === 'url_citation' ? `${annotation.start_index} ${annotation.url}` : annotation.type;
}

/** Whether a part ends a text. */
function endsText(part: AnswerPart, { block, part: number }: OpenText): boolean {
  switch (part.kind) {
    case 'text':
      return part.block !== block || (part.part ?? 0) !== number;
    case 'annotation':
    case 'usage':
    case 'tier':
    case 'start':
    case 'progress':
      return false;
    default:
      return true;
  }
}

/** Every place where a text names the address of a result, in their order. */
export function findCitations(text: string, results: readonly SearchResult[]): readonly Annotation[] {
  const found: Extract<Annotation, { type: 'url_citation' }>[] = [];
  for (const { url, title, content } of results) {
    if (url === '') continue;
    for (let at = text.indexOf(url); at !== -1; at = text.indexOf(url, at + url.length)) {
      const end = at + url.length;
      if (found.length >= mostCitations) break;
      // A longer address is another page.
      if (/^[\w/?&=#%~+.-]*[\w/?&=#%~+-]/.test(text.slice(end, end + 200))) continue;
      const [start_index, end_index] = linkAround(text, at, end);
      found.push({ type: 'url_citation', url, title, start_index, end_index, content });
    }
  }
  return found.toSorted((one, other) => one.start_index - other.start_index);
}

/** The Markdown link of an address, or the address alone. */
function linkAround(text: string, start: number, end: number): readonly [number, number] {
  if (text.slice(start - 2, start) !== '](') return [start, end];
  const closing = text.indexOf(')', end);
  const opening = text.lastIndexOf('[', start - 2);
  const isLink = opening !== -1 && start - opening <= longestTitle && closing !== -1;
  return isLink ? [opening, closing + 1] : [start, end];
}
