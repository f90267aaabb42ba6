import { getDocumentProxy } from 'unpdf';
import { characterMapOptions } from './character-maps.ts';
import { pageText, type TextRun } from './page-text.ts';

/** What to read of a PDF. */
export interface PdfJob {
  readonly bytes: Uint8Array;
  readonly maxPages: number;
  /** Whether a PDF of more pages is read up to there; otherwise it is refused. */
  readonly cuts: boolean;
}

/** The texts of a PDF, page by page. */
export interface PdfText {
  readonly pages: readonly string[];
  /** How many pages it has, read or not. */
  readonly total: number;
}

/** Why a PDF was not read. */
export type PdfProblem = 'encrypted' | 'broken' | 'too_many_pages' | 'too_large' | 'too_slow' | 'busy';

/** What came of a job. */
export type PdfOutcome = PdfText | { readonly problem: PdfProblem; readonly total?: number };

/** Characters of all pages together. */
const mostCharacters = 8 * 1024 * 1024;
/** Only errors: strangers' documents have many faults. */
const quiet = 0;

/** Reads the text of a PDF. Runs strangers' data, so it belongs in a child process. */
export async function readPdf({ bytes, maxPages, cuts }: PdfJob): Promise<PdfOutcome> {
  let pdf: Awaited<ReturnType<typeof getDocumentProxy>>;
  try {
    // pdf.js refuses a Buffer, which also is a Uint8Array.
    pdf = await getDocumentProxy(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length), {
      disableFontFace: true,
      useSystemFonts: false,
      verbosity: quiet,
      ...characterMapOptions(),
    });
  } catch (thrown) {
    const isLocked = thrown instanceof Error && thrown.name === 'PasswordException';
    return { problem: isLocked ? 'encrypted' : 'broken' };
  }
  try {
    const total = pdf.numPages;
    if (total > maxPages && !cuts) return { problem: 'too_many_pages', total };
    return await readPages(pdf, Math.min(total, maxPages));
  } catch {
    return { problem: 'broken' };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

async function readPages(
  pdf: Awaited<ReturnType<typeof getDocumentProxy>>,
  count: number,
): Promise<PdfOutcome> {
  const pages: string[] = [];
  let characters = 0;
  for (let number = 1; number <= count; number += 1) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const text = pageText(items.filter((item): item is typeof item & TextRun => 'str' in item));
    page.cleanup();
    characters += text.length;
    if (characters > mostCharacters) return { problem: 'too_large' };
    pages.push(text);
  }
  return { pages, total: pdf.numPages };
}
