import { createChecker } from '../../../schema/checker.ts';
import { choice, optional, Type, text } from '../../../util/json-schema.ts';
import { cacheMembers, readBlockCache } from '../common-settings.ts';
import type { ContentKind } from './content-kind.ts';
import { checkFileData } from './data-url.ts';
import { oneSource } from './one-source.ts';

/** `input_file`: a document by its bytes, address or file id. */
const InputFileSchema = Type.Object({
  type: choice('input_file'),
  file_data: optional(text({ minLength: 1 })),
  file_url: optional(text({ pattern: '^[hH][tT][tT][pP][sS]?://', description: 'an http or https URL' })),
  file_id: optional(text({ minLength: 1 })),
  filename: optional(text()),
  ...cacheMembers,
});

const checkInputFile = createChecker(InputFileSchema);

/** How `input_file` is read. */
export const inputFile: ContentKind = {
  schema: InputFileSchema,
  read(part, path, rules) {
    const checked = checkInputFile(part, path);
    const { file_data, file_url, file_id } = checked;
    const source = oneSource({ file_data, file_url, file_id }, path);
    if (source.file_data !== undefined) checkFileData(source.file_data, `${path}.file_data`);
    return {
      kind: 'file',
      data: source.file_data,
      url: source.file_url,
      fileId: source.file_id,
      filename: checked.filename ?? undefined,
      cacheControl: readBlockCache(checked, rules),
    };
  },
};
