import { createChecker } from '../../../schema/checker.ts';
import { choice, optional, Type, text } from '../../../util/json-schema.ts';
import { cacheMembers, readBlockCache } from '../common-settings.ts';
import type { ContentKind } from './content-kind.ts';
import { checkImageUrl, webOrDataUrl } from './data-url.ts';
import { oneSource } from './one-source.ts';

/** `input_image`: a picture by address, data URL or file id; `detail` may be absent. */
const InputImageSchema = Type.Object({
  type: choice('input_image'),
  image_url: optional(text(webOrDataUrl)),
  file_id: optional(text({ minLength: 1 })),
  detail: optional(choice('auto', 'high', 'low', 'original')),
  ...cacheMembers,
});

const checkInputImage = createChecker(InputImageSchema);

/** How `input_image` is read. */
export const inputImage: ContentKind = {
  schema: InputImageSchema,
  read(part, path, rules) {
    const checked = checkInputImage(part, path);
    const source = oneSource({ image_url: checked.image_url, file_id: checked.file_id }, path);
    return {
      kind: 'image',
      url: source.image_url && checkImageUrl(source.image_url, `${path}.image_url`),
      fileId: source.file_id,
      detail: checked.detail ?? 'auto',
      cacheControl: readBlockCache(checked, rules),
    };
  },
};
