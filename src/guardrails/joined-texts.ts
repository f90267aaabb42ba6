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

/** Whether a span of a joined text lies in more than one of its pieces. */
export function crosses(
  { pieces }: JoinedText,
  { start, end }: { readonly start: number; readonly end: number },
) {
  return pieces.filter(({ at, length }) => start < at + length && end > at).length > 1;
}

/**
 * Replaces what was found in several texts: in each by itself, and over their borders. What a redaction covers in the first
 * of its texts becomes the placeholder, what it covers in others vanishes.
 */
export function redactJoined(
  texts: readonly string[],
  alone: (text: string) => readonly Redaction[],
  together: readonly { readonly joined: JoinedText; readonly redactions: readonly Redaction[] }[],
): readonly string[] {
  const all = texts.map((text) => [...alone(text)]);
  const isWhole = (index: number) => {
    const length = texts[index]?.length ?? 0;
    return alone(texts[index] ?? '').some(({ start, end }) => start === 0 && end === length);
  };
  for (const { joined, redactions } of together) {
    for (const redaction of redactions) {
      const { start, end } = redaction;
      if (!crosses(joined, redaction)) continue;
      // What has no place of its own was found in one of the texts: then the others stay.
      const isAll = start === 0 && end === joined.text.length;
      if (isAll && joined.pieces.some(({ index }) => isWhole(index))) continue;
      let placeholder = redaction.placeholder;
      for (const { index, from, at, length } of joined.pieces) {
        const first = Math.max(start, at);
        const last = Math.min(end, at + length);
        if (first >= last) continue;
        all[index]?.push({ ...redaction, start: first - at + from, end: last - at + from, placeholder });
        placeholder = '';
      }
    }
  }
  return texts.map((text, index) => applyRedactions(text, withoutOverlaps(all[index] ?? [])));
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
