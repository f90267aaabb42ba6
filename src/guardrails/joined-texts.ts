import type { Redaction } from './scan-rules.ts';

/** Characters of a long text that are read with its neighbour. */
const margin = 4_096;
/** How far the end of such a piece is moved to a blank, so that it is no end of a word or number. */
const slack = 256;

/** A text that several may become together, and what of it comes from where. */
export interface JoinedText {
  readonly text: string;
  readonly pieces: readonly {
    /** The place of the text in the list. */
    readonly index: number;
    /** Where the piece begins in that text. */
    readonly from: number;
    /** Where it begins in the joined text. */
    readonly at: number;
    readonly length: number;
  }[];
}

/** Texts one behind the other; of long ones what stands near a neighbour. */
export function joinTexts(texts: readonly string[], separator: string): readonly JoinedText[] {
  const joined: JoinedText[] = [];
  let text = '';
  let pieces: JoinedText['pieces'][number][] = [];
  const add = (index: number, from: number, to: number): void => {
    if (pieces.length > 0) text += separator;
    pieces.push({ index, from, at: text.length, length: to - from });
    text += texts[index]?.slice(from, to) ?? '';
  };
  const close = (): void => {
    if (pieces.length > 1) joined.push({ text, pieces });
    text = '';
    pieces = [];
  };
  for (const [index, { length }] of texts.entries()) {
    const own = texts[index] ?? '';
    if (length <= 2 * (margin + slack)) add(index, 0, length);
    else {
      if (index > 0) add(index, 0, blankBehind(own, margin));
      close();
      if (index < texts.length - 1) add(index, blankBefore(own, length - margin), length);
    }
  }
  close();
  return joined;
}

function blankBehind(text: string, at: number): number {
  const found = text.slice(at, at + slack).search(/\s/);
  return found === -1 ? at : at + found;
}

function blankBefore(text: string, at: number): number {
  const found = /\s\S*$/.exec(text.slice(at - slack, at));
  return found === null ? at : at - slack + found.index + 1;
}

/**
 * Replaces what was found in several texts: in each by itself, and over their borders. What a redaction covers in the first
 * of its texts becomes the placeholder, what it covers in others vanishes.
 * @param together What was found in joined texts, in the order of each.
 * @param isComplete Whether what a filter finds in one text is a whole value: then words of its neighbour that would fit too stay.
 */
export function redactJoined(
  texts: readonly string[],
  alone: (text: string) => readonly Redaction[],
  together: readonly { readonly joined: JoinedText; readonly redactions: readonly Redaction[] }[],
  isComplete: (filter: number) => boolean,
): readonly string[] {
  const found = texts.map(alone);
  const all = found.map((redactions) => [...redactions]);
  for (const { joined, redactions } of together) {
    for (const pieces of overBorders(joined, redactions)) {
      const isKnown = pieces.some(([index, piece]) => found[index]?.some((one) => isSame(one, piece)));
      if (isKnown && isComplete(pieces[0]?.[1].filter ?? -1)) continue;
      for (const [index, piece] of pieces) all[index]?.push(piece);
    }
  }
  return texts.map((text, index) => applyRedactions(text, withoutOverlaps(all[index] ?? [])));
}

type Piece = readonly [index: number, redaction: Redaction];

/** The redactions that lie in more than one text, in pieces. */
function* overBorders({ pieces }: JoinedText, redactions: readonly Redaction[]): Generator<readonly Piece[]> {
  let first = 0;
  for (const redaction of redactions) {
    const { start, end } = redaction;
    while (endOf(pieces[first]) <= start) first += 1;
    let last = first;
    while ((pieces[last + 1]?.at ?? end) < end) last += 1;
    if (last === first) continue;
    const covered: Piece[] = [];
    for (const { index, from, at, length } of pieces.slice(first, last + 1)) {
      const begin = Math.max(start, at) - at;
      const close = Math.min(end, at + length) - at;
      if (begin >= close) continue;
      const placeholder = covered.length === 0 ? redaction.placeholder : '';
      covered.push([index, { ...redaction, start: begin + from, end: close + from, placeholder }]);
    }
    yield covered;
  }
}

function isSame(one: Redaction, other: Redaction): boolean {
  return one.filter === other.filter && one.start < other.end && one.end > other.start;
}

function endOf(piece: JoinedText['pieces'][number] | undefined): number {
  return piece === undefined ? Number.POSITIVE_INFINITY : piece.at + piece.length;
}

function withoutOverlaps(redactions: readonly Redaction[]): readonly Redaction[] {
  const kept: Redaction[] = [];
  for (const one of redactions.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = kept.at(-1);
    if (last === undefined || one.start >= last.end) kept.push(one);
    else {
      const { placeholder } = last.placeholder === '' || sizeOf(one) > sizeOf(last) ? one : last;
      kept[kept.length - 1] = {
        ...last,
        end: Math.max(last.end, one.end),
        placeholder: placeholder || last.placeholder,
      };
    }
  }
  return kept;
}

function sizeOf({ start, end }: Redaction): number {
  return end - start;
}

/** A text with pieces replaced that are in its order and do not overlap. */
export function applyRedactions(text: string, redactions: readonly Redaction[]): string {
  let redacted = '';
  let at = 0;
  for (const { start, end, placeholder } of redactions) {
    redacted += text.slice(at, start) + placeholder;
    at = end;
  }
  return redacted + text.slice(at);
}
