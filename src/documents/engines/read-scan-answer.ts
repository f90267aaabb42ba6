import { isObject, type JsonObject, parseJson } from '../../util/json.ts';
import type { OcrPage, OcrText } from '../ocr-engine.ts';

/** Pictures of a document that are kept. */
export const mostImages = 8;

/**
 * Reads what the engine answers; undefined when it is no result. The answer holds what a stranger's document says, up to
 * megabytes of pictures, so this belongs in a child process.
 */
export function readScanAnswer(body: Uint8Array): OcrText | undefined {
  const answer = parsed(new TextDecoder().decode(body));
  if (!isObject(answer) || !Array.isArray(answer.pages)) return undefined;
  let images = 0;
  const pages = answer.pages
    .filter(isObject)
    .toSorted((one, other) => Number(one.index) - Number(other.index))
    .map((page): OcrPage => {
      const { text, images: found } = readPage(page);
      const kept = found.slice(0, mostImages - images);
      images += kept.length;
      return { text, images: kept };
    });
  const usage = isObject(answer.usage_info) ? answer.usage_info.pages_processed : undefined;
  const isCount = typeof usage === 'number' && Number.isInteger(usage) && usage >= 0;
  return { pages, billedPages: isCount ? usage : pages.length };
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function readPage({ markdown, images }: JsonObject): OcrPage {
  const found = Array.isArray(images) ? images.filter(isObject) : [];
  return {
    text: typeof markdown === 'string' ? markdown : '',
    images: found.flatMap(({ image_base64: image }) => toDataUrl(image) ?? []),
  };
}

function toDataUrl(image: unknown): string | undefined {
  if (typeof image !== 'string' || image === '') return undefined;
  if (/^data:image\/(png|jpeg|webp|gif);base64,/i.test(image)) return image;
  return image.startsWith('data:') ? undefined : `data:image/jpeg;base64,${image}`;
}
