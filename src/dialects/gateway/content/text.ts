import { createChecker } from '../../../schema/checker.ts';
import { choice, Type, text } from '../../../util/json-schema.ts';
import { cacheMembers, readBlockCache } from '../common-settings.ts';
import type { ContentKind } from './content-kind.ts';

/** `input_text`: something said to the model. */
const InputTextSchema = Type.Object({ type: choice('input_text'), text: text(), ...cacheMembers });

const checkInputText = createChecker(InputTextSchema);

/** How `input_text` is read. */
export const inputText: ContentKind = {
  schema: InputTextSchema,
  read(part, path, rules) {
    const checked = checkInputText(part, path);
    if (checked.text === '') return undefined;
    return { kind: 'text', text: checked.text, cacheControl: readBlockCache(checked, rules) };
  },
};
