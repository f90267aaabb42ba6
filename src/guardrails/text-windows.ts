import type { Span } from './span.ts';

/** Characters of a window without its margins. */
const longestWindow = 1024 * 1024;
/** Characters before and behind a window that are read with it, so that its ends are no ends of the text. */
const margin = 4_096;

/** A part of a text that is scanned at once. */
export interface TextWindow {
  readonly text: string;
  /** Where it begins in the whole text. */
  readonly at: number;
  /** Whether a span in it belongs to the window rather than to its margins alone. */
  readonly owns: (span: Span) => boolean;
}

/**
 * A text in windows with margins (docs/spec/guardrails.md#cost): what a detector needs grows with the window and not with the text. A
 * short text is one window. A span that reaches over a border is found from both sides, where it is not longer than a margin.
 * @param length Characters of a window without its margins.
 */
export function windowsOf(text: string, length = longestWindow): readonly TextWindow[] {
  const windowLength = Math.min(length, longestWindow);
  if (text.length <= windowLength + margin) return [{ text, at: 0, owns: () => true }];
  const windows: TextWindow[] = [];
  for (let from = 0; from < text.length; from += windowLength) {
    const at = Math.max(0, from - margin);
    const to = from + windowLength;
    windows.push({
      text: text.slice(at, to + margin),
      at,
      owns: ({ start, end }) => at + start < to && at + end > from,
    });
  }
  return windows;
}
