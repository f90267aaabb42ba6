import type { TextFormat } from '../../../core/request.ts';
import { createChecker } from '../../../schema/checker.ts';
import { malformed, quote } from '../../../schema/fault.ts';
import { asObject, type KindTable, rowFor } from '../../../schema/kind-table.ts';
import { refuseDeep } from '../../../schema/refuse-deep.ts';
import { anyObject, anyOf, choice, flag, optional, Type, text } from '../../../util/json-schema.ts';

const PlainTextSchema = Type.Object({ type: choice('text') });
const JsonObjectSchema = Type.Object({ type: choice('json_object'), schema: optional(anyObject()) });
const JsonSchemaSchema = Type.Object({
  type: choice('json_schema'),
  json_schema: Type.Object({
    name: text({ minLength: 1, maxLength: 64 }),
    schema: optional(anyObject()),
    description: optional(text()),
    strict: optional(flag()),
  }),
});

/** `response_format`: the shape of the answer's text (docs/spec/chat.md#request). */
export const ResponseFormatSchema = anyOf(PlainTextSchema, JsonObjectSchema, JsonSchemaSchema);

const checkJsonObject = createChecker(JsonObjectSchema);
const checkJsonSchema = createChecker(JsonSchemaSchema);

type FormatReader = (value: unknown, path: string) => TextFormat;

const formats: KindTable<FormatReader> = {
  key: 'type',
  rows: new Map<string, FormatReader>([
    ['text', () => ({ kind: 'text' })],
    ['json_object', readJsonObject],
    ['json_schema', readJsonSchema],
    ['grammar', refuseGrammar],
    ['python', refuseGrammar],
  ]),
};

/** Reads `response_format`; unset is plain text. @throws HeadgateError `invalid_request`. */
export function readResponseFormat(value: unknown): TextFormat {
  if (value === undefined || value === null) return { kind: 'text' };
  const path = 'response_format';
  return rowFor(formats, asObject(value, path), path)(value, path);
}

function readJsonObject(value: unknown, path: string): TextFormat {
  const { schema } = checkJsonObject(value, path);
  if (!schema) return { kind: 'json_object' };
  refuseDeep(schema, `${path}.schema`);
  return { kind: 'json_schema', name: 'response', schema };
}

function readJsonSchema(value: unknown, path: string): TextFormat {
  const { name, schema, description, strict } = checkJsonSchema(value, path).json_schema;
  if (!schema) throw malformed(`${path}.json_schema.schema`, 'is required, expected an object');
  refuseDeep(schema, `${path}.json_schema.schema`);
  return {
    kind: 'json_schema',
    name,
    schema,
    description: description ?? undefined,
    strict: strict ?? undefined,
  };
}

function refuseGrammar(value: unknown, path: string): TextFormat {
  const { type } = asObject(value, path);
  throw malformed(`${path}.type`, `${quote(String(type))} is served by no endpoint; use "json_schema"`);
}
