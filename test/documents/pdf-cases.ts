import type { PdfProblem } from '../../src/documents/read-pdf.ts';

/** A PDF in `pdfs/`, and what reading it has to give. `make-pdfs.ts` makes it anew. */
export interface PdfCase {
  readonly file: string;
  /** What made it. */
  readonly by: string;
  readonly pages?: number;
  /** Texts that are there, in this order; blanks of any kind count as one. */
  readonly has?: readonly string[];
  /** Why it is not read. */
  readonly problem?: PdfProblem;
}

const letter = ['Harbour office', 'High water is at noon on Sunday.', 'Low water is at six.'];

/** PDFs of many producers. */
export const pdfCases: readonly PdfCase[] = [
  { file: 'writer-letter', by: 'LibreOffice Writer', pages: 1, has: letter },
  {
    file: 'writer-table',
    by: 'LibreOffice Writer',
    pages: 1,
    has: ['Port', 'Height', 'Brest', '7.1 m', 'Saint-Malo', '12.4 m'],
  },
  {
    file: 'writer-languages',
    by: 'LibreOffice Writer',
    has: ['Übermäßige Flut', 'Прилив в полдень', 'Η παλίρροια', 'Příliv a odliv', 'café à l’aube'],
  },
  { file: 'writer-pdfa', by: 'LibreOffice Writer, PDF/A-2', has: letter },
  { file: 'writer-tagged', by: 'LibreOffice Writer, PDF/UA', has: letter },
  { file: 'writer-links', by: 'LibreOffice Writer', has: ['See the table of tides', 'for all ports.'] },
  { file: 'calc-sheet', by: 'LibreOffice Calc', has: ['Port', 'Brest', '7.1', 'Dover', '6.8'] },
  { file: 'impress-slides', by: 'LibreOffice Impress', pages: 2, has: ['Tides for sailors', 'Second slide'] },
  {
    file: 'latex-article',
    by: 'pdfTeX',
    pages: 2,
    has: ['On tides', 'Introduction', 'The moon pulls', 'Conclusion'],
  },
  { file: 'latex-mathematics', by: 'pdfTeX', has: ['The height is', 'cos', 'for every hour'] },
  { file: 'latex-columns', by: 'pdfTeX', has: ['Left column begins here', 'Right column begins here'] },
  { file: 'latex-ligatures', by: 'pdfTeX', has: ['efficient', 'flood', 'affluent', 'office'] },
  { file: 'latex-old-fonts', by: 'pdfTeX, OT1', has: ['Na', 've tide tables', 'are seldom right'] },
  { file: 'latex-dvipdfmx', by: 'dvipdfmx', has: ['Made by way of DVI'] },
  { file: 'latex-dvips', by: 'dvips and Ghostscript', has: ['Made by way of PostScript'] },
  { file: 'xelatex-unicode', by: 'XeTeX', has: ['Прилив', 'παλίρροια', 'noon—always'] },
  { file: 'lualatex-unicode', by: 'LuaTeX', has: ['Übermäßige Flut', 'efficient flood'] },
  { file: 'pandoc-article', by: 'pandoc and pdfTeX', has: ['Notes', 'High water at noon', 'neap tides'] },
  {
    file: 'chromium-page',
    by: 'Chromium (Skia)',
    has: ['Harbour news', 'The ferry leaves at noon.', 'Tickets'],
  },
  {
    file: 'chromium-table',
    by: 'Chromium (Skia)',
    has: ['Port', 'Height', 'Brest', '7.1 m', 'Dover', '6.8 m'],
  },
  { file: 'chromium-two-pages', by: 'Chromium (Skia)', pages: 2, has: ['First page', 'Second page'] },
  {
    file: 'chromium-languages',
    by: 'Chromium (Skia)',
    has: ['Übermäßige Flut', 'Прилив', 'παλίρροια', '€ 12'],
  },
  { file: 'wkhtmltopdf-page', by: 'wkhtmltopdf (Qt)', has: ['Harbour news', 'The ferry leaves at noon.'] },
  { file: 'cairo-text', by: 'cairo', has: ['Drawn by cairo', 'Übermäßige Flut'] },
  { file: 'cairo-pages', by: 'cairo', pages: 3, has: ['Sheet 1', 'Sheet 2', 'Sheet 3'] },
  {
    file: 'reportlab-report',
    by: 'ReportLab',
    has: ['Report of tides', 'A paragraph about the harbour', 'Brest', '7.1'],
  },
  { file: 'reportlab-rotated', by: 'ReportLab', has: ['Upright text', 'Turned text'] },
  { file: 'reportlab-form', by: 'ReportLab', has: ['Name of the ship'] },
  { file: 'ghostscript-postscript', by: 'Ghostscript', has: ['Written in PostScript by hand'] },
  { file: 'ghostscript-old', by: 'Ghostscript, PDF 1.3', has: letter },
  {
    file: 'ghostscript-joined',
    by: 'Ghostscript',
    pages: 2,
    has: ['The ferry leaves at noon.', 'Drawn by cairo'],
  },
  { file: 'enscript-listing', by: 'enscript and Ghostscript', has: ['const tide = 7.1;', 'return tide;'] },
  {
    file: 'groff-manual',
    by: 'groff and Ghostscript',
    has: ['TIDE(1)', 'NAME', 'prints the tides of a port'],
  },
  { file: 'mutool-page', by: 'MuPDF', has: ['Made by MuPDF'] },
  { file: 'mutool-cleaned', by: 'MuPDF', has: letter },
  { file: 'qpdf-linear', by: 'qpdf, linearized', has: letter },
  { file: 'qpdf-object-streams', by: 'qpdf, object streams', has: letter },
  { file: 'qpdf-plain', by: 'qpdf, without compression', has: letter },
  { file: 'qpdf-attachment', by: 'qpdf, with an attached file', pages: 1, has: letter },
  { file: 'qpdf-owner-aes', by: 'qpdf, AES-256, opens without a password', has: letter },
  { file: 'qpdf-owner-rc4', by: 'qpdf, RC4, opens without a password', has: letter },
  { file: 'qpdf-locked-aes', by: 'qpdf, AES-256 with a password', problem: 'encrypted' },
  { file: 'qpdf-locked-rc4', by: 'qpdf, RC4 with a password', problem: 'encrypted' },
  { file: 'scan-jpeg', by: 'img2pdf, a scanned page', pages: 1, has: [] },
  { file: 'scan-fax', by: 'img2pdf, two faxed pages', pages: 2, has: [] },
  { file: 'broken-offsets', by: 'LibreOffice, its table of objects is wrong', has: letter },
  { file: 'broken-tail', by: 'LibreOffice, cut before its end', has: letter },
  { file: 'broken-half', by: 'LibreOffice, its second half is missing', problem: 'broken' },
  { file: 'broken-noise', by: 'noise behind the mark of a PDF', problem: 'broken' },
  { file: 'broken-empty', by: 'the mark of a PDF alone', problem: 'broken' },
  {
    file: 'pages-500',
    by: 'ReportLab',
    pages: 500,
    has: ['Page number 1 of many.', 'Page number 500 of many.'],
  },
  { file: 'pages-501', by: 'ReportLab', problem: 'too_many_pages' },
];
