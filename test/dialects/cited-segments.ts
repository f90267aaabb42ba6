import type { Annotation } from '../../src/core/delta.ts';

/** A stretch of a text that is cited as a whole or not at all, in the pieces it is said in. */
export interface Segment {
  readonly pieces: readonly string[];
  readonly citation?: Extract<Annotation, { type: 'url_citation' }>;
}

/** Cuts a text where citations begin and end, for dialects in which cited words are a block of their own. */
export function cutByCitations(
  pieces: readonly string[],
  citations: readonly Annotation[] = [],
): readonly Segment[] {
  const cited = citations
    .filter((citation) => citation.type === 'url_citation')
    .sort((left, right) => left.start_index - right.start_index);
  const segments: Segment[] = [];
  let at = 0;
  const end = pieces.join('').length;
  for (const citation of cited) {
    segments.push({ pieces: slice(pieces, at, citation.start_index) });
    segments.push({ pieces: slice(pieces, citation.start_index, citation.end_index), citation });
    at = citation.end_index;
  }
  segments.push({ pieces: slice(pieces, at, end) });
  return segments.filter(({ pieces: said }) => said.length > 0);
}

function slice(pieces: readonly string[], from: number, to: number): string[] {
  let at = 0;
  return pieces.flatMap((piece) => {
    const start = at;
    at += piece.length;
    const part = piece.slice(Math.max(0, from - start), Math.max(0, to - start));
    return start < to && at > from && part !== ''
      ? [part]
      : piece === '' && start >= from && start <= to
        ? ['']
        : [];
  });
}
