/**
 * Makes the PDFs of `pdfs/` anew: `node test/documents/make-pdfs.ts [name…]`. Needs these Debian packages: libreoffice-writer-nogui
 * libreoffice-calc-nogui libreoffice-impress-nogui texlive-latex-recommended texlive-xetex texlive-luatex texlive-fonts-recommended
 * lmodern chromium wkhtmltopdf python3-cairo python3-reportlab ghostscript enscript groff mupdf-tools qpdf img2pdf pandoc
 * fonts-dejavu-core. Takes some minutes. Other versions make other bytes, so what it wrote is committed.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pdfCases } from './pdf-cases.ts';

const target = join(import.meta.dirname, 'pdfs');
const room = mkdtempSync(join(tmpdir(), 'headgate-pdfs-'));
const place = (name: string) => join(room, name);

/** Runs a program in the folder of this run. */
function run(program: string, ...args: readonly string[]): void {
  const env = { ...process.env, HOME: room, SOURCE_DATE_EPOCH: '1767225600', QT_QPA_PLATFORM: 'offscreen' };
  execFileSync(program, args, { cwd: room, env, stdio: ['ignore', 'ignore', 'inherit'], timeout: 300_000 });
}

function write(name: string, text: string): string {
  writeFileSync(place(name), text);
  return name;
}

/** Makes a PDF of another document by LibreOffice. Of HTML it would drop the first paragraph. */
function office(name: string, extension: 'csv' | 'fodp' | 'html', text: string, filter = 'pdf'): void {
  write(`${name}.${extension}`, text);
  if (extension === 'html') {
    run('pandoc', `${name}.html`, '-o', `${name}.odt`);
    run('soffice', '--headless', '--convert-to', filter, `${name}.odt`);
    return;
  }
  run('soffice', '--headless', '--convert-to', filter, `${name}.${extension}`);
}

const page = (body: string) =>
  `<!doctype html><html><head><meta charset="utf-8"><title>Made page</title></head><body>${body}</body></html>`;
const letter = page(
  '<h1>Harbour office</h1><p>High water is at noon on Sunday.</p><p>Low water is at six.</p>',
);
const table = (rows: readonly (readonly string[])[]) =>
  `<table border="1">${rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('')}</table>`;
const languages =
  '<p>Übermäßige Flut</p><p>Прилив в полдень</p><p>Η παλίρροια</p><p>Příliv a odliv</p><p>café à l’aube</p>';
const exported = (options: object) => `pdf:writer_pdf_Export:${JSON.stringify(options)}`;
const flag = (value: string | boolean) => ({
  type: typeof value === 'boolean' ? 'boolean' : 'long',
  value: String(value),
});

/** A document of LaTeX. */
const latex = (
  body: string,
  { options = '', head = '\\usepackage[T1]{fontenc}\\usepackage{lmodern}' } = {},
) => `\\documentclass[${options}]{article}${head}\\begin{document}${body}\\end{document}`;

function tex(engine: string, name: string, text: string): void {
  write(`${name}.tex`, text);
  run(engine, '-interaction=batchmode', `${name}.tex`);
}

function chromium(name: string, html: string): void {
  write(`${name}.html`, html);
  const flags = ['--headless', '--no-sandbox', '--no-pdf-header-footer'];
  run('chromium', ...flags, `--print-to-pdf=${place(`${name}.pdf`)}`, place(`${name}.html`));
}

function python(name: string, text: string): void {
  // The one of the system has its packages.
  run('/usr/bin/python3', write(`${name}.py`, text));
}

function ghostscript(name: string, ...args: readonly string[]): void {
  run(
    'gs',
    '-q',
    '-dBATCH',
    '-dNOPAUSE',
    '-dSAFER',
    '-sDEVICE=pdfwrite',
    `-sOutputFile=${name}.pdf`,
    ...args,
  );
}

const reportlabPages = (name: string, count: number) => `
from reportlab.pdfgen import canvas
c = canvas.Canvas("${name}.pdf", pageCompression=1, invariant=1)
for number in range(1, ${count + 1}):
    c.drawString(72, 720, f"Page number {number} of many.")
    c.showPage()
c.save()
`;
const cairo = (name: string, body: string) => `
import cairo
surface = cairo.PDFSurface("${name}.pdf", 420, 595)
context = cairo.Context(surface)
context.select_font_face("DejaVu Sans")
context.set_font_size(16)
${body}
surface.finish()
`;

const flatSlides = `<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"
 office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.presentation"><office:body><office:presentation>
${['Tides for sailors', 'Second slide'].map((text, index) => `<draw:page draw:name="p${index}"><draw:frame svg:x="2cm" svg:y="2cm" svg:width="20cm" svg:height="3cm"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame></draw:page>`).join('\n')}
</office:presentation></office:body></office:document>`;

const basis = () => place('writer-letter.pdf');
const qpdf = (name: string, ...args: readonly string[]) => run('qpdf', ...args, basis(), `${name}.pdf`);
const encrypt = (name: string, user: string, bits: string, ...more: readonly string[]) =>
  run('qpdf', ...more, '--encrypt', user, 'owner', bits, '--', basis(), `${name}.pdf`);

/** How each is made. What others are made of comes first. */
const recipes: Readonly<Record<string, (name: string) => void>> = {
  'writer-letter': (name) => office(name, 'html', letter),
  'writer-table': (name) =>
    office(
      name,
      'html',
      page(
        table([
          ['Port', 'Height'],
          ['Brest', '7.1 m'],
          ['Saint-Malo', '12.4 m'],
        ]),
      ),
    ),
  'writer-languages': (name) => office(name, 'html', page(languages)),
  'writer-pdfa': (name) => office(name, 'html', letter, exported({ SelectPdfVersion: flag('2') })),
  'writer-tagged': (name) => office(name, 'html', letter, exported({ PDFUACompliance: flag(true) })),
  'writer-links': (name) =>
    office(
      name,
      'html',
      page('<p>See the <a href="https://sea.example/">table of tides</a> for all ports.</p>'),
    ),
  'calc-sheet': (name) => office(name, 'csv', 'Port,Height\nBrest,7.1\nDover,6.8\n'),
  'impress-slides': (name) => office(name, 'fodp', flatSlides),
  'latex-article': (name) =>
    tex(
      'pdflatex',
      name,
      latex(
        '\\title{On tides}\\author{Nobody}\\date{}\\maketitle\\section{Introduction} The moon pulls at the sea.\\newpage\\section{Conclusion} It always will.',
      ),
    ),
  'latex-mathematics': (name) =>
    tex(
      'pdflatex',
      name,
      latex(
        'The height is \\[ h(t) = \\frac{a}{2}\\cos(2\\pi t/T) + \\sum_{k=1}^{n} b_k \\] for every hour.',
      ),
    ),
  'latex-columns': (name) =>
    tex(
      'pdflatex',
      name,
      latex('Left column begins here.\\newpage Right column begins here.', { options: 'twocolumn' }),
    ),
  'latex-ligatures': (name) => tex('pdflatex', name, latex('An efficient flood, an affluent office.')),
  'latex-old-fonts': (name) =>
    tex('pdflatex', name, latex('Na\\"ive tide tables are seldom right.', { head: '' })),
  'latex-dvipdfmx': (name) => {
    tex('latex', name, latex('Made by way of DVI.'));
    run('dvipdfmx', '-q', `${name}.dvi`);
  },
  'latex-dvips': (name) => {
    tex('latex', name, latex('Made by way of PostScript.', { head: '' }));
    run('dvips', '-q', '-o', `${name}.ps`, `${name}.dvi`);
    ghostscript(name, `${name}.ps`);
  },
  'xelatex-unicode': (name) =>
    tex(
      'xelatex',
      name,
      latex('Прилив, παλίρροια, noon—always.', { head: '\\usepackage{fontspec}\\setmainfont{DejaVu Serif}' }),
    ),
  'lualatex-unicode': (name) =>
    tex('lualatex', name, latex('Übermäßige Flut. An efficient flood.', { head: '\\usepackage{fontspec}' })),
  'pandoc-article': (name) => {
    write(`${name}.md`, '# Notes\n\nHigh water at noon.\n\n- spring tides\n- neap tides\n');
    run('pandoc', `${name}.md`, '-o', `${name}.pdf`);
  },
  'chromium-page': (name) =>
    chromium(
      name,
      page('<h1>Harbour news</h1><p>The ferry leaves at <b>noon</b>.</p><h2>Tickets</h2><p>At the pier.</p>'),
    ),
  'chromium-table': (name) =>
    chromium(
      name,
      page(
        table([
          ['Port', 'Height'],
          ['Brest', '7.1 m'],
          ['Dover', '6.8 m'],
        ]),
      ),
    ),
  'chromium-two-pages': (name) =>
    chromium(name, page('<p>First page</p><p style="break-before:page">Second page</p>')),
  'chromium-languages': (name) =>
    chromium(name, page('<p>Übermäßige Flut</p><p>Прилив</p><p>παλίρροια</p><p>€ 12</p>')),
  'wkhtmltopdf-page': (name) => {
    write(`${name}.html`, page('<h1>Harbour news</h1><p>The ferry leaves at noon.</p>'));
    run('wkhtmltopdf', '-q', `${name}.html`, `${name}.pdf`);
  },
  'cairo-text': (name) =>
    python(
      name,
      cairo(
        name,
        'context.move_to(40, 60)\ncontext.show_text("Drawn by cairo")\ncontext.move_to(40, 90)\ncontext.show_text("Übermäßige Flut")',
      ),
    ),
  'cairo-pages': (name) =>
    python(
      name,
      cairo(
        name,
        'for number in (1, 2, 3):\n    context.move_to(40, 60)\n    context.show_text(f"Sheet {number}")\n    context.show_page()',
      ),
    ),
  'reportlab-report': (name) =>
    python(
      name,
      `
from reportlab.platypus import SimpleDocTemplate, Paragraph, Table
from reportlab.lib.styles import getSampleStyleSheet
s = getSampleStyleSheet()
SimpleDocTemplate("${name}.pdf", invariant=1).build([Paragraph("Report of tides", s["Title"]),
  Paragraph("A paragraph about the harbour, which is long enough to fill more than one line of the page when it is set in this size.", s["Normal"]),
  Table([["Port", "Height"], ["Brest", "7.1"]])])
`,
    ),
  'reportlab-rotated': (name) =>
    python(
      name,
      `
from reportlab.pdfgen import canvas
c = canvas.Canvas("${name}.pdf", invariant=1)
c.drawString(72, 720, "Upright text")
c.rotate(90)
c.drawString(200, -300, "Turned text")
c.save()
`,
    ),
  'reportlab-form': (name) =>
    python(
      name,
      `
from reportlab.pdfgen import canvas
c = canvas.Canvas("${name}.pdf", invariant=1)
c.drawString(72, 720, "Name of the ship")
c.acroForm.textfield(name="ship", x=200, y=710, width=200, height=20, value="Marie")
c.save()
`,
    ),
  'ghostscript-postscript': (name) => {
    write(
      `${name}.ps`,
      '%!PS\n/Times-Roman findfont 18 scalefont setfont 72 700 moveto (Written in PostScript by hand) show showpage\n',
    );
    ghostscript(name, `${name}.ps`);
  },
  'ghostscript-old': (name) => ghostscript(name, '-dCompatibilityLevel=1.3', basis()),
  'ghostscript-joined': (name) => ghostscript(name, place('chromium-page.pdf'), place('cairo-text.pdf')),
  'enscript-listing': (name) => {
    write(`${name}.txt`, 'const tide = 7.1;\nfunction high() {\n  return tide;\n}\n');
    run('enscript', '-q', '-B', '-o', `${name}.ps`, `${name}.txt`);
    ghostscript(name, `${name}.ps`);
  },
  'groff-manual': (name) => {
    write(`${name}.1`, '.TH TIDE 1 2026-01-01 tides\n.SH NAME\ntide \\- prints the tides of a port\n');
    writeFileSync(place(`${name}.ps`), execFileSync('groff', ['-man', '-Tps', place(`${name}.1`)]));
    ghostscript(name, `${name}.ps`);
  },
  'mutool-page': (name) => {
    write(
      `${name}.txt`,
      '%%MediaBox 0 0 420 595\n%%Font F Helvetica\nBT /F 16 Tf 1 0 0 1 40 500 Tm (Made by MuPDF) Tj ET\n',
    );
    run('mutool', 'create', '-o', `${name}.pdf`, `${name}.txt`);
  },
  'mutool-cleaned': (name) => run('mutool', 'clean', '-gggz', basis(), `${name}.pdf`),
  'qpdf-linear': (name) => qpdf(name, '--linearize'),
  'qpdf-object-streams': (name) => qpdf(name, '--object-streams=generate'),
  'qpdf-plain': (name) => qpdf(name, '--stream-data=uncompress', '--object-streams=disable'),
  'qpdf-attachment': (name) => {
    write('attached.txt', 'This was attached.');
    run('qpdf', basis(), '--add-attachment', 'attached.txt', '--', `${name}.pdf`);
  },
  'qpdf-owner-aes': (name) => encrypt(name, '', '256'),
  'qpdf-owner-rc4': (name) => encrypt(name, '', '128', '--allow-weak-crypto'),
  'qpdf-locked-aes': (name) => encrypt(name, 'secret', '256'),
  'qpdf-locked-rc4': (name) => encrypt(name, 'secret', '40', '--allow-weak-crypto'),
  'scan-jpeg': (name) => {
    run('gs', '-q', '-dBATCH', '-dNOPAUSE', '-sDEVICE=jpeggray', '-r72', `-sOutputFile=${name}.jpg`, basis());
    run('img2pdf', '--nodate', `${name}.jpg`, '-o', `${name}.pdf`);
  },
  'scan-fax': (name) => {
    run('gs', '-q', '-dBATCH', '-dNOPAUSE', '-sDEVICE=tiffg4', '-r72', `-sOutputFile=${name}.tiff`, basis());
    run('img2pdf', '--nodate', `${name}.tiff`, `${name}.tiff`, '-o', `${name}.pdf`);
  },
  'broken-offsets': (name) => {
    const text = readFileSync(place('qpdf-plain.pdf'), 'latin1');
    const wrong = text
      .replace(/^(\d{10}) (\d{5}) n/gm, '0000000017 $2 n')
      .replace(/startxref\n\d+/, 'startxref\n17');
    writeFileSync(place(`${name}.pdf`), wrong, 'latin1');
  },
  'broken-tail': (name) => {
    const bytes = readFileSync(place('qpdf-plain.pdf'));
    writeFileSync(place(`${name}.pdf`), bytes.subarray(0, bytes.lastIndexOf('startxref')));
  },
  'broken-half': (name) => {
    const bytes = readFileSync(place('qpdf-plain.pdf'));
    writeFileSync(place(`${name}.pdf`), bytes.subarray(0, bytes.length / 2));
  },
  'broken-noise': (name) => {
    const noise = Buffer.from(
      Array.from({ length: 4096 }, (_, index) => (index * 7919 + (index >> 3)) % 251),
    );
    writeFileSync(place(`${name}.pdf`), Buffer.concat([Buffer.from('%PDF-1.7\n'), noise]));
  },
  'broken-empty': (name) => writeFileSync(place(`${name}.pdf`), '%PDF-1.7\n'),
  'pages-500': (name) => python(name, reportlabPages(name, 500)),
  'pages-501': (name) => python(name, reportlabPages(name, 501)),
};

/** What others are made of. */
const bases = ['writer-letter', 'chromium-page', 'cairo-text', 'qpdf-plain'];
const named = process.argv.slice(2);
const wanted = pdfCases.map(({ file }) => file).filter((file) => named.length === 0 || named.includes(file));
for (const file of new Set([...bases, ...wanted])) {
  const recipe = recipes[file];
  if (recipe === undefined) throw new Error(`There is no recipe for ${file}.`);
  recipe(file);
  if (wanted.includes(file)) copyFileSync(place(`${file}.pdf`), join(target, `${file}.pdf`));
  process.stdout.write(`${file}\n`);
}
rmSync(room, { recursive: true });
