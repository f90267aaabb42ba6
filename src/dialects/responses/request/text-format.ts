import type { TextFormat, Verbosity } from '../../../core/request.ts';
import { createChecker } from '../../../schema/checker.ts';
import { malformed } from '../../../schema/fault.ts';
import { asObject, type KindTable, rowFor } from '../../../schema/kind-table.ts';
import { refuseDeep } from '../../../schema/refuse-deep.ts';
import type { JsonObject } from '../../../util/json.ts';
import { anyObject, anyOf, choice, flag, handled, optional, Type, text } from '../../../util/json-schema.ts';

const closed = { additionalProperties: false };

const PlainTextSchema = Type.Object({ type: choice('text') }, closed);
const JsonObjectSchema = Type.Object({ type: choice('json_object') }, closed);
const JsonSchemaSchema = Type.Object(
  {
    type: choice('json_schema'),
    name: optional(text({ minLength: 1 })),
    schema: optional(anyObject()),
    description: optional(text()),
    strict: optional(flag()),
  },
  closed,
);

/** `text`: the shape and length of the answer (docs/spec/requests.md#text-format). */
export const TextSchema = Type.Object(
  {
    format: Type.Optional(handled(anyOf(PlainTextSchema, JsonObjectSchema, JsonSchemaSchema, Type.Null()))),
    verbosity: optional(choice('low', 'medium', 'high', 'xhigh', 'max')),
  },
  closed,
);

const checkText = createChecker(TextSchema);
const checkPlainText = createChecker(PlainTextSchema);
const checkJsonObject = createChecker(JsonObjectSchema);
const checkJsonSchema = createChecker(JsonSchemaSchema);

type FormatReader = (format: unknown, path: string) => TextFormat;

const formats: KindTable<FormatReader> = {
  key: 'type',
  rows: new Map<string, FormatReader>([
    ['text', (format, path) => ({ kind: checkPlainText(format, path).type })],
    ['json_object', (format, path) => ({ kind: checkJsonObject(format, path).type })],
    ['json_schema', readJsonSchema],
  ]),
};

/** What `text` says. */
export interface ReadText {
  readonly format: TextFormat;
  readonly verbosity?: Verbosity;
}

/** Reads `text`; unset is plain text. @throws HeadgateError `invalid_request`. */
export function readText(value: unknown): ReadText {
  if (value === undefined || value === null) return { format: { kind: 'text' } };
  const { format, verbosity } = checkText(value, 'text');
  return { format: readFormat(format), verbosity: verbosity ?? undefined };
}

/**
 * How a response repeats `text`. The two highest verbosities are not repeated: the response's public
 * shape does not know them.
 */
export function echoText({ format, verbosity }: ReadText): JsonObject {
  const shown = verbosity === undefined || verbosity === 'xhigh' || verbosity === 'max' ? {} : { verbosity };
  if (format.kind !== 'json_schema') return { format: { type: format.kind }, ...shown };
  const { name, schema, description, strict } = format;
  return {
    format: {
      type: 'json_schema',
      name,
      schema,
      ...(description === undefined ? {} : { description }),
      ...(strict === undefined ? {} : { strict }),
    },
    ...shown,
  };
}

function readFormat(value: unknown): TextFormat {
  const path = 'text.format';
  if (value === undefined || value === null) return { kind: 'text' };
  return rowFor(formats, asObject(value, path), path)(value, path);
}

function readJsonSchema(value: unknown, path: string): TextFormat {
  const { name, schema, description, strict } = checkJsonSchema(value, path);
  const named = name !== undefined && name !== null;
  const shaped = schema !== undefined && schema !== null;
  // One widespread client asks for any JSON object in this way (docs/spec/requests.md#text-format).
  if (!named && !shaped) return { kind: 'json_object' };
  if (!named) throw malformed(`${path}.name`, 'is required beside schema, expected a string');
  if (!shaped) throw malformed(`${path}.schema`, 'is required beside name, expected an object');
  refuseDeep(schema, `${path}.schema`);
  return {
    kind: 'json_schema',
    name,
    schema,
    description: description ?? undefined,
    strict: strict ?? undefined,
  };
}
