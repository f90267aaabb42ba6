import type { ParsedContent, ParsedFile } from '../../core/parsed-file.ts';
import type { ContentPart, FilePart } from '../../core/request.ts';
import type { ReadFile } from './read-file.ts';

/** What an annotation holds of a file: its pages, then its pictures. */
export function annotate(hash: string, name: string, { pages }: ReadFile, mostImages: number): ParsedFile {
  const images = pages.flatMap((page) => page.images).slice(0, mostImages);
  return {
    hash,
    name,
    content: [
      {
        type: 'text',
        text: describe(
          name,
          pages.map(({ text }) => text),
        ),
      },
      ...images.map((url): ParsedContent => ({ type: 'image_url', image_url: { url } })),
    ],
  };
}

/** What a model reads in place of a file. Pictures come last, as many as are left. */
export function toParts(
  part: FilePart,
  content: readonly ParsedContent[],
  imagesLeft: number,
): readonly ContentPart[] {
  const texts = content.flatMap((piece) => (piece.type === 'text' ? [piece.text] : []));
  const images = content.flatMap((piece) => (piece.type === 'text' ? [] : [piece.image_url.url]));
  const all = [...(part.context === undefined ? [] : [part.context]), ...texts];
  const { cacheControl } = part;
  return [
    ...all.map((text, index): ContentPart => {
      const isLast = index === all.length - 1;
      return { kind: 'text', text, ...(isLast && cacheControl !== undefined && { cacheControl }) };
    }),
    ...images
      .slice(0, imagesLeft)
      .map((url): ContentPart => ({ kind: 'image', url, detail: 'auto', ofFile: true })),
  ];
}

/** The text of a file of text, under its name. */
export function asText(name: string, text: string): readonly ParsedContent[] {
  return [{ type: 'text', text: `[File "${name}"]\n\n${text}` }];
}

function describe(name: string, pages: readonly string[]): string {
  const count = pages.length === 1 ? '1 page' : `${pages.length} pages`;
  const texts = pages.map((text, index) => `[Page ${index + 1}]\n\n${text.trim() || '(no text)'}`);
  return [`[File "${name}", ${count}]`, ...texts].join('\n\n');
}
