import type { ContentPart, EncryptedPart } from '../../../core/request.ts';
import { createChecker } from '../../../schema/checker.ts';
import { malformed, nameOf } from '../../../schema/fault.ts';
import { asObject, type KindTable, rowFor, schemasOf } from '../../../schema/kind-table.ts';
import { anyOf, choice, list, type TSchema, Type, text } from '../../../util/json-schema.ts';
import type { CacheRules } from '../common-settings.ts';
import { outputText, refusal } from './assistant.ts';
import type { ContentKind } from './content-kind.ts';
import { inputFile } from './file.ts';
import { inputImage } from './image.ts';
import { inputAudio, inputVideo } from './media.ts';
import { inputText } from './text.ts';

/** `encrypted_content`: text only its maker can read, in messages between agents. */
const EncryptedContentSchema = Type.Object({
  type: choice('encrypted_content'),
  encrypted_content: text(),
});

const checkEncryptedContent = createChecker(EncryptedContentSchema);

/** How `encrypted_content` is read. */
const encryptedContent: ContentKind<EncryptedPart> = {
  schema: EncryptedContentSchema,
  read: (part, path) => ({
    kind: 'encrypted',
    encrypted: checkEncryptedContent(part, path).encrypted_content,
  }),
};

/** The parts one place of a conversation may hold. */
export type ContentTable<Part = ContentPart> = KindTable<ContentKind<Part>>;

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

/** What assistant messages hold: what models say, and input parts among it (docs/spec/items.md#messages). */
export const assistantParts: ContentTable = {
  key: 'type',
  rows: new Map([['output_text', outputText], ['refusal', refusal], ...inputRows]),
};

/** What the output of a tool holds. */
export const toolOutputParts: ContentTable = { key: 'type', rows: new Map(toolOutputRows) };

/** What messages between agents hold. */
export const agentParts: ContentTable<ContentPart | EncryptedPart> = {
  key: 'type',
  rows: new Map<string, ContentKind<ContentPart | EncryptedPart>>([
    ['input_text', inputText],
    ['input_image', inputImage],
    ['encrypted_content', encryptedContent],
  ]),
};

/** The public schema of content: a list of the parts of a table. */
export function partsSchema(table: ContentTable<unknown>): TSchema {
  return list(anyOf(...schemasOf('Content', table)));
}

/** The public schema of content that may also be a string. */
export function contentSchema(table: ContentTable): TSchema {
  return anyOf(text(), partsSchema(table));
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
  return readParts(content, path, table, rules);
}

/** Reads a list of parts; those that say nothing are left out. @throws HeadgateError `invalid_request`. */
export function readParts<Part extends ContentPart | EncryptedPart>(
  content: readonly unknown[],
  path: string,
  table: ContentTable<Part>,
  rules: CacheRules,
): readonly Part[] {
  const parts: Part[] = [];
  for (let index = 0; index < content.length; index++) {
    const place = `${path}[${index}]`;
    const part = asObject(content[index], place);
    const read = rowFor(table, part, place).read(part, place, rules);
    if (read !== undefined) parts.push(parts.length === index ? read : { ...read, place: index });
  }
  return parts;
}
