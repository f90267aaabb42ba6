import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../src/interface/openapi-document.ts';
import { interfaceRows } from '../../src/interface/routes.ts';

interface Schema {
  readonly properties?: object;
  readonly additionalProperties?: unknown;
}

/** The document as far as values are checked against it. */
export interface PublishedDocument {
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/** What clients send may hold more than is written there, and providers add members to the items of their tools. */
const open = /^(ResponsesRequest|Create|Update|Output(?!(Message|Reasoning|FunctionCall|CustomToolCall)$))/;

/**
 * Checks values against a document of the interface, with no member in what the server says but those it tells of.
 * @throws Error by the function returned, naming the place and what is wrong there.
 */
export function checkerOf(document: PublishedDocument): (schema: string, value: unknown) => void {
  const { schemas } = document.components;
  const strict = Object.entries(schemas).map(([name, schema]) => [
    name,
    open.test(name) ? schema : closed(schema),
  ]);
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
  ajv.addSchema({ components: { schemas: Object.fromEntries(strict) } }, 'own');
  const compiled = new Map<string, ValidateFunction>();
  return (schema, value) => {
    const validate = compiled.get(schema) ?? ajv.compile({ $ref: `own#/components/schemas/${schema}` });
    compiled.set(schema, validate);
    if (validate(value)) return;
    const faults = validate.errors?.map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
    throw new Error(`${schema}: ${faults?.join('; ')}\n${JSON.stringify(value)}`);
  };
}

/** Checks a value against a named schema of the document that the server gives of itself. */
export const checkPublished: (schema: string, value: unknown) => void = checkerOf(
  openApiDocument(interfaceRows) as unknown as PublishedDocument,
);

function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, closed(inner)]));
  const { properties, additionalProperties } = value as Schema;
  const isSchema = typeof properties === 'object' && 'type' in value;
  return isSchema && additionalProperties === undefined
    ? { ...members, additionalProperties: false }
    : members;
}
