import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ErrorAnswer } from '../src/dialects/answer-schemas.ts';
import { Components } from '../src/interface/openapi-document.ts';
import { interfaceRows } from '../src/interface/routes.ts';
import type { Operation } from '../src/management/row.ts';
import { marksOf, type TSchema, typeNames } from '../src/util/json-schema.ts';

/** Where the types for clients are kept. */
export const clientTypesFile: string = join(import.meta.dirname, '../clients/headgate-api.ts');

/** The text of clients/headgate-api.ts, made from the table of routes. */
export function renderClientTypes(): string {
  const components = new Components();
  components.use(ErrorAnswer);
  const operations = interfaceRows.map((row) => operationOf(row, components));
  const named = Object.entries(components.schemas).map(
    ([name, schema]) => `${comment(schema.description)}export type ${name} = ${typeOf(schema, '')};`,
  );
  return `${head}${operations.join('')}}\n${named.map((type) => (type.includes('\n') ? `\n${type}\n` : `${type}\n`)).join('')}`;
}

/** Characters up to which an object stands in one line. */
const lineWidth = 110;

const head = `// Made by \`npm run docs\` from src/interface; a test compares the two.

/** What can be asked of a server, by the name of the operation. */
export interface Operations {
`;

function operationOf(operation: Operation, components: Components): string {
  const { id, summary, method, path, query, body, answer, mediaType, events } = operation;
  const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `${name}: string`);
  const written = (schema: TSchema | undefined) =>
    schema === undefined ? 'undefined' : typeOf(components.use(schema), '    ');
  return `${comment(`${summary}.`, '  ')}  ${id}: {
    method: '${method}'; path: '${path}';
    params: ${params.length === 0 ? 'undefined' : `{ ${params.join('; ')} }`}; query: ${written(query && withoutHidden(query))};
    body: ${written(body)}; answer: ${mediaType === undefined ? written(answer) : 'string'};
${events === undefined ? '' : `    events: ${written(events)};\n`}  };
`;
}

function withoutHidden(query: TSchema): TSchema {
  const shown = Object.entries(query.properties ?? {}).filter(
    ([, member]) => marksOf(member).hidden !== true,
  );
  // What has a default need not be sent.
  const required = (query.required ?? []).filter((name) => query.properties?.[name]?.default === undefined);
  return { ...query, required, properties: Object.fromEntries(shown) };
}

/** A schema as TypeScript; `indent` is that of the line it stands in. */
function typeOf(schema: TSchema, indent: string): string {
  const { $ref, enum: words, const: constant, oneOf, anyOf } = schema;
  if ($ref !== undefined) return referenceOf($ref);
  if (constant !== undefined) return JSON.stringify(constant);
  if (words !== undefined) return words.map((word) => JSON.stringify(word)).join(' | ');
  const alternatives = oneOf ?? anyOf;
  if (alternatives !== undefined) {
    return [...new Set(alternatives.map((one) => typeOf(one, indent)))].join(' | ');
  }
  const names = typeNames(schema).map((name) => plainType(name, schema, indent));
  return names.length === 0 ? 'unknown' : names.join(' | ');
}

/** \`Error/properties/error\` is a member of a named type. */
function referenceOf(ref: string): string {
  const [name = '', ...members] = ref.replace('#/components/schemas/', '').split('/properties/');
  return name + members.map((member) => `['${member}']`).join('');
}

function plainType(name: string, schema: TSchema, indent: string): string {
  switch (name) {
    case 'integer':
      return 'number';
    case 'array':
      return `readonly ${grouped(typeOf(schema.items ?? {}, indent))}[]`;
    case 'object':
      return objectOf(schema, indent);
    default:
      return name;
  }
}

function grouped(type: string): string {
  return /^\w+$/.test(type) ? type : `(${type})`;
}

function objectOf(
  { properties, required = [], additionalProperties: others }: TSchema,
  indent: string,
): string {
  if (properties === undefined) {
    const value = typeof others === 'object' ? typeOf(others, indent) : 'unknown';
    return `{ readonly [name: string]: ${value} }`;
  }
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, member]) => {
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
    const optional = required.includes(name) ? '' : '?';
    return `${comment(member.description, inner)}${inner}readonly ${key}${optional}: ${typeOf(member, inner)};\n`;
  });
  if (members.length === 0) return '{}';
  const inOneLine = `{ ${members.map((member) => member.trim().replace(/;$/, '')).join('; ')} }`;
  const fits = indent.length + inOneLine.length <= lineWidth && !/\n|\/\*\*/.test(inOneLine);
  return fits ? inOneLine : `{\n${members.join('')}${indent}}`;
}

function comment(text: string | undefined, indent = ''): string {
  return text === undefined ? '' : `${indent}/** ${text} */\n`;
}

if (import.meta.main) writeFileSync(clientTypesFile, renderClientTypes());
