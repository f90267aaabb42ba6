import type { ParsedContent, ParsedFile } from '../../core/parsed-file.ts';
import { createChecker } from '../../schema/checker.ts';
import { malformed } from '../../schema/fault.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { anyObject, choice, list, optional, Type, text } from '../../util/json-schema.ts';
import { checkImageUrl } from './content/data-url.ts';

/** Of all files that a client gives back, together. */
const mostCharacters = 16 * 1024 * 1024;

const checkFile = createChecker(
  Type.Object({
    hash: text({ pattern: '^[0-9a-f]{64}$', description: '64 hexadecimal digits in small letters' }),
    name: optional(text()),
    content: list(anyObject()),
  }),
);
const checkText = createChecker(Type.Object({ type: choice('text'), text: text() }));
const checkImage = createChecker(
  Type.Object({ type: choice('image_url'), image_url: Type.Object({ url: text() }) }),
);

/**
 * The files that messages of the model show as read (docs/spec/plugins.md#annotations); undefined without any.
 * @param messages The conversation as the client wrote it, in `member`.
 * @throws HeadgateError `invalid_request` for a file that is none.
 */
export function readParsedFiles(messages: unknown, member: string): readonly ParsedFile[] | undefined {
  if (!Array.isArray(messages)) return undefined;
  let files: ParsedFile[] | undefined;
  let characters = 0;
  for (const [index, message] of messages.entries()) {
    if (!isObject(message) || message.role !== 'assistant') continue;
    for (const { value, path } of annotationsOf(message, `${member}[${index}]`)) {
      const file = readFile(value, path);
      characters += sizeOf(file);
      if (characters > mostCharacters)
        throw malformed(path, `files are longer than ${mostCharacters} characters`);
      files ??= [];
      files.push(file);
    }
  }
  return files;
}

interface FoundFile {
  readonly value: unknown;
  readonly path: string;
}

/** File annotations of a message itself, and of its parts. */
function* annotationsOf(message: JsonObject, path: string): Generator<FoundFile> {
  yield* filesIn(message.annotations, `${path}.annotations`);
  if (!Array.isArray(message.content)) return;
  for (const [index, part] of message.content.entries()) {
    if (isObject(part)) yield* filesIn(part.annotations, `${path}.content[${index}].annotations`);
  }
}

function* filesIn(annotations: unknown, path: string): Generator<FoundFile> {
  if (!Array.isArray(annotations)) return;
  for (const [index, annotation] of annotations.entries()) {
    if (isObject(annotation) && annotation.type === 'file') {
      yield { value: annotation.file, path: `${path}[${index}].file` };
    }
  }
}

function readFile(value: unknown, path: string): ParsedFile {
  const { hash, name, content } = checkFile(value, path);
  const pieces = content.map((piece, index) => readPiece(piece, `${path}.content[${index}]`));
  return { hash, ...(name !== undefined && name !== null && { name }), content: pieces };
}

function readPiece(piece: JsonObject, path: string): ParsedContent {
  if (piece.type !== 'image_url') return { type: 'text', text: checkText(piece, path).text };
  const { url } = checkImage(piece, path).image_url;
  return { type: 'image_url', image_url: { url: checkImageUrl(url, `${path}.image_url.url`) } };
}

function sizeOf({ content }: ParsedFile): number {
  return content.reduce(
    (sum, piece) => sum + (piece.type === 'text' ? piece.text.length : piece.image_url.url.length),
    0,
  );
}
