/** A run of text on a page, as pdf.js reports it. */
export interface TextRun {
  readonly str: string;
  /** A matrix: the last two numbers are the place of the baseline, from the lower left. */
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly hasEOL: boolean;
}

interface Line {
  text: string;
  readonly y: number;
  /** Height of its letters. */
  readonly height: number;
  /** Where its last run ended. */
  end: number;
}

/** Lines further apart than this many heights are paragraphs. */
const paragraphGap = 1.9;
/** Gaps in a line that are wider than this many heights separate columns. */
const columnGap = 1.8;
/** Lines that are so much higher than most are headings. */
const headingHeight = 1.25;
const longestHeading = 200;

/**
 * The text of a page as Markdown, in the order in which the page draws it: lines, paragraphs, headings by their height, and tabs
 * between columns.
 */
export function pageText(runs: readonly TextRun[]): string {
  const lines = toLines(runs).filter(({ text }) => text.trim() !== '');
  const usual = usualHeight(lines);
  let text = '';
  let last: Line | undefined;
  for (const line of lines) {
    const words = line.text.replace(/ +/g, ' ').trim();
    const isHeading = line.height > usual * headingHeight && words.length <= longestHeading;
    const isApart = last !== undefined && isParagraph(last, line);
    if (last !== undefined) text += isApart || isHeading || last.height !== line.height ? '\n\n' : '\n';
    text += isHeading ? `## ${words}` : words;
    last = line;
  }
  return text;
}

function toLines(runs: readonly TextRun[]): readonly Line[] {
  const lines: Line[] = [];
  let open: Line | undefined;
  for (const { str, transform, width, height, hasEOL } of runs) {
    const [, , , , x = 0, y = 0] = transform;
    if (str !== '') {
      if (open === undefined || Math.abs(open.y - y) > Math.max(open.height, height, 1) / 2) {
        open = { text: '', y, height: Math.round(height * 10) / 10, end: x };
        lines.push(open);
      } else if (str.trim() !== '' && x - open.end > Math.max(open.height, 1) * columnGap) {
        open.text = `${open.text.trimEnd()}\t`;
      }
      open.text += str;
      if (str.trim() !== '') open.end = x + width;
    }
    if (hasEOL) open = undefined;
  }
  return lines;
}

/** The height that most letters have. */
function usualHeight(lines: readonly Line[]): number {
  const letters = new Map<number, number>();
  for (const { height, text } of lines) letters.set(height, (letters.get(height) ?? 0) + text.length);
  let [usual, most] = [0, 0];
  for (const [height, count] of letters) if (count > most) [usual, most] = [height, count];
  return usual;
}

function isParagraph(last: Line, line: Line): boolean {
  const gap = Math.abs(last.y - line.y);
  return gap > Math.max(last.height, line.height, 1) * paragraphGap;
}
