import type { Annotation } from '../../../core/delta.ts';
import { createChecker } from '../../../schema/checker.ts';
import { asList, asObject } from '../../../schema/kind-table.ts';
import { refuseDeep } from '../../../schema/refuse-deep.ts';
import type { JsonObject } from '../../../util/json.ts';
import {
  anyObject,
  anyOf,
  choice,
  integer,
  list,
  named,
  optional,
  Type,
  text,
} from '../../../util/json-schema.ts';

const UrlCitationSchema = named(
  'AnnotationUrlCitation',
  Type.Object({
    type: choice('url_citation'),
    url: text(),
    title: text(),
    start_index: integer(),
    end_index: integer(),
    content: optional(text()),
    citation: optional(anyObject()),
  }),
);
const FileCitationSchema = named(
  'AnnotationFileCitation',
  Type.Object({
    type: choice('file_citation'),
    file_id: text(),
    filename: text(),
    index: integer(),
    start_index: optional(integer()),
    citation: optional(anyObject()),
  }),
);
const FilePathSchema = Type.Object({ type: choice('file_path'), file_id: text(), index: integer() });

/** A file that the gateway read, as answers show it (docs/spec/plugins.md#annotations). */
const FileSchema = named(
  'AnnotationFile',
  Type.Object({
    type: choice('file'),
    file: Type.Object({
      hash: text({ pattern: '^[0-9a-f]{64}$', description: '64 hexadecimal digits in small letters' }),
      name: optional(text()),
      content: list(
        anyOf(
          Type.Object({ type: choice('text'), text: text() }),
          Type.Object({ type: choice('image_url'), image_url: Type.Object({ url: text() }) }),
        ),
      ),
    }),
  }),
);

const checkUrlCitation = createChecker(UrlCitationSchema);
const checkFileCitation = createChecker(FileCitationSchema);
const checkFilePath = createChecker(FilePathSchema);

type AnnotationReader = (value: unknown, path: string) => Annotation;

const readers: ReadonlyMap<unknown, AnnotationReader> = new Map<unknown, AnnotationReader>([
  ['url_citation', readUrlCitation],
  ['file_citation', readFileCitation],
  ['file_path', readFilePath],
]);

/** The citations an assistant's text may carry (docs/spec/requests.md#content-parts). */
export const annotationSchemas = [UrlCitationSchema, FileCitationSchema, FilePathSchema, FileSchema];

/**
 * Reads the citations of an assistant's text. Kinds that nobody here knows are left out rather than
 * refused: they come from an answer that is only replayed.
 * @throws HeadgateError `invalid_request` when a known kind lacks a member.
 */
export function readAnnotations(value: unknown, path: string): readonly Annotation[] | undefined {
  if (value === undefined || value === null) return undefined;
  const annotations: Annotation[] = [];
  for (const [index, entry] of asList(value, path).entries()) {
    const place = `${path}[${index}]`;
    const read = readers.get(asObject(entry, place).type);
    if (read !== undefined) annotations.push(read(entry, place));
  }
  return annotations.length === 0 ? undefined : annotations;
}

function readUrlCitation(value: unknown, path: string): Annotation {
  const { type, url, title, start_index, end_index, content, citation } = checkUrlCitation(value, path);
  const quoted = content === undefined || content === null ? {} : { content };
  return { type, url, title, start_index, end_index, ...quoted, ...original(citation, path) };
}

function readFileCitation(value: unknown, path: string): Annotation {
  const { type, file_id, filename, index, start_index: start, citation } = checkFileCitation(value, path);
  const begins = start === undefined || start === null ? {} : { start_index: start };
  return { type, file_id, filename, index, ...begins, ...original(citation, path) };
}

/** The citation in the Messages format, whatever its members are. */
function original(citation: JsonObject | null | undefined, path: string): { readonly citation?: JsonObject } {
  if (citation === undefined || citation === null) return {};
  refuseDeep(citation, `${path}.citation`);
  return { citation };
}

function readFilePath(value: unknown, path: string): Annotation {
  const { type, file_id, index } = checkFilePath(value, path);
  return { type, file_id, index };
}
