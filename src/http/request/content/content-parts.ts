import type { TSchema } from '../../../core/json-schema.ts';
import type { ContentPart } from '../../../core/request.ts';
import type { CacheRules } from '../cache.ts';
import { malformed, nameOf } from '../fault.ts';
import { asObject, type KindTable, rowFor } from '../kind-table.ts';
import { anyOf, list, text } from '../schema.ts';
import { outputText, refusal } from './assistant.ts';
import type { ContentKind } from './content-kind.ts';
import { inputFile } from './file.ts';
import { inputImage } from './image.ts';
import { inputAudio, inputVideo } from './media.ts';
import { inputText } from './text.ts';

/** The parts one place of a conversation may hold. */
export type ContentTable = KindTable<ContentKind>;

const toolOutputRows: readonly (readonly [string, ContentKind])[] = [
  ['input_text', inputText],
  ['input_image', inputImage],
  ['input_file', inputFile],
];
const inputRows: readonly (readonly [string, ContentKind])[] = [
  ...toolOutputRows,
  ['input_audio', inputAudio],
  ['input_video', inputVideo],
];

/** What user, system and developer messages hold. */
export const inputParts: ContentTable = { key: 'type', rows: new Map(inputRows) };

/** What assistant messages hold: what models say, and input parts among it (responses.md 3.1.2). */
export const assistantParts: ContentTable = {
  key: 'type',
  rows: new Map([['output_text', outputText], ['refusal', refusal], ...inputRows]),
};

/** What the output of a tool holds. */
export const toolOutputParts: ContentTable = { key: 'type', rows: new Map(toolOutputRows) };

/** The public schema of content: a string, or a list of the parts of a table. */
export function contentSchema(table: ContentTable): TSchema {
  const parts = Array.from(table.rows.values(), (row) => row.schema);
  return anyOf(text(), list(anyOf(...parts)));
}

/**
 * Reads content: a string is one text part, empty text is none.
 * @throws HeadgateError `invalid_request`.
 */
export function readContent(
  content: unknown,
  path: string,
  table: ContentTable,
  rules: CacheRules,
): readonly ContentPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  if (!Array.isArray(content)) {
    throw malformed(path, `expected a string or an array of parts, got ${nameOf(content)}`);
  }
  const parts: ContentPart[] = [];
  for (let index = 0; index < content.length; index++) {
    const place = `${path}[${index}]`;
    const part = asObject(content[index], place);
    const read = rowFor(table, part, place).read(part, place, rules);
    if (read !== undefined) parts.push(read);
  }
  return parts;
}
