import { type ErrorCode, errorTable } from '../core/errors.ts';
import { ErrorAnswer } from '../dialects/answer-schemas.ts';
import { apiBase } from '../edge/route.ts';
import type { Operation } from '../management/row.ts';
import type { JsonObject } from '../util/json.ts';
import { integer, marksOf, type TSchema, text, word } from '../util/json-schema.ts';

/** The schemas of a document by name; those that others refer to are found on the way. */
export class Components {
  readonly schemas: Record<string, TSchema> = {};
  readonly #sources = new Map<string, string>();

  /**
   * What stands for a schema in the document: a reference where it has a name.
   * @throws Error for a name that another schema has.
   */
  use(schema: TSchema): TSchema {
    const { name } = marksOf(schema);
    if (name === undefined) return this.#inside(schema);
    if (this.schemas[name] === undefined) {
      // The place comes first: what is within may refer to it, and stands behind it.
      this.#sources.set(name, JSON.stringify(schema));
      this.schemas[name] = schema;
      this.schemas[name] = this.#inside(schema);
    } else if (this.#sources.get(name) !== JSON.stringify(schema)) {
      throw new Error(`two schemas are named ${name}`);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  #inside(schema: TSchema): TSchema {
    const { properties, items, additionalProperties: others, oneOf, anyOf } = schema;
    return {
      ...schema,
      ...(properties && { properties: mapValues(properties, (member) => this.use(member)) }),
      ...(items && { items: this.use(items) }),
      ...(typeof others === 'object' && { additionalProperties: this.use(others) }),
      ...(oneOf && { oneOf: oneOf.map((one) => this.use(one)) }),
      ...(anyOf && { anyOf: anyOf.map((one) => this.use(one)) }),
    };
  }
}

function mapValues(members: Readonly<Record<string, TSchema>>, change: (schema: TSchema) => TSchema) {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member)]));
}

/**
 * The table of routes as OpenAPI 3.1 (docs/spec/operations.md#other-paths). Bodies and queries are described by the
 * very schemas that check them; the errors are those of the error table.
 */
export function openApiDocument(operations: readonly Operation[]): JsonObject {
  const components = new Components();
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const path = operation.path.replace(apiBase, '');
    const described = describeOperation(operation, components);
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: described };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Headgate', version: '1.0.0', license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: apiBase }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: components.schemas,
    },
  };
}

const header = (schema: TSchema, description: string) => ({ schema, description });

/** The headers of an answer that is not an error. */
const answerHeaders = {
  'X-Generation-Id': header(text(), 'The id of the call, for `GET /api/v1/generation` and for the operator.'),
};

/** The further headers of what `POST /responses` answers. */
const replayHeaders = {
  'Idempotent-Replayed': header(word(['true']), 'An answer to an earlier request with the same key.'),
  'X-Service-Left-Out': header(
    text(),
    'Types of tools that nobody can run and that were left out, with `compat.unavailable_tools: drop`.',
  ),
};

const retryAfter = header(integer(), 'Seconds after which it may succeed, where that is known.');
const noRetry = header(word(['false']), 'Sending the same again is of no use.');

/** What the headers of an error tell, by its status, besides those of every answer. */
const errorHeaders: Readonly<Record<number, object>> = {
  401: { 'WWW-Authenticate': header(word(['Bearer']), 'How a request names its key.') },
  402: {
    'Retry-After': retryAfter,
    'X-Should-Retry': header(word(['true']), 'Only running requests are in its way.'),
  },
  429: {
    'Retry-After': retryAfter,
    'X-RateLimit-Limit': header(integer(), 'How many requests a limit of this service allows.'),
    'X-RateLimit-Remaining': header(integer(), 'How many of them are left.'),
    'X-RateLimit-Reset': header(integer(), 'When it begins anew, in Unix milliseconds.'),
  },
  502: { 'Retry-After': retryAfter },
  503: { 'Retry-After': retryAfter, 'X-Should-Retry': noRetry },
  529: { 'Retry-After': retryAfter },
};

const accessTexts: Readonly<Record<Operation['access'], string | undefined>> = {
  open: undefined,
  optional: 'Needs no key; one that works shows more.',
  key: 'Needs any key.',
  inference: 'Needs an inference key.',
  management: 'Needs a management key.',
};

const accessFailures: Readonly<Record<Operation['access'], readonly ErrorCode[]>> = {
  open: [],
  optional: [],
  key: ['authentication'],
  inference: ['authentication', 'permission_denied'],
  management: ['authentication', 'permission_denied', 'platform_rate_limit'],
};

/** What cannot be read or comes from a page of a foreign origin is refused everywhere. */
const commonFailures: readonly ErrorCode[] = ['invalid_request', 'server'];
const bodyFailures: readonly ErrorCode[] = ['deadline_exceeded', 'payload_too_large'];

/** One operation as OpenAPI describes it. */
function describeOperation(operation: Operation, components: Components): object {
  const { id, summary, access, body } = operation;
  const { description = accessTexts[access], path } = operation;
  const parameters = [
    ...pathParameters(path),
    ...parametersIn('query', operation.query),
    ...parametersIn('header', operation.headers),
  ];
  return {
    ...(path.startsWith(apiBase) ? {} : { servers: [{ url: '' }] }),
    ...securityOf(operation),
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, ...content(body, components, formType(operation)) } }),
    responses: {
      ...describeSuccess(operation, components),
      ...describeFailures(failuresOf(operation), components, operation.errorAnswer),
    },
  };
}

/** The media type of a body that is not JSON. */
function formType({ takesForm }: Operation): string | undefined {
  return takesForm === true ? 'multipart/form-data' : undefined;
}

function failuresOf({
  access,
  body,
  failures = [],
  alwaysAnswered = false,
  rate,
}: Operation): readonly ErrorCode[] {
  if (failures === 'any') return Object.keys(errorTable) as ErrorCode[];
  return [
    ...commonFailures,
    ...(alwaysAnswered ? [] : (['service_unavailable'] as const)),
    ...accessFailures[access],
    ...(body === undefined ? [] : bodyFailures),
    ...(rate === undefined ? [] : (['platform_rate_limit'] as const)),
    ...failures,
  ];
}

/** A key that some callers need and others do not is one of two ways to call it. */
function securityOf({ access, failures = [] }: Operation): object {
  if (access !== 'open' && access !== 'optional') return {};
  return { security: failures.includes('authentication') ? [{}, { bearer: [] }] : [] };
}

function describeSuccess(operation: Operation, components: Components): Record<string, object> {
  const { status = 200, answer, mediaType, success = 'Done', events, otherwise = {} } = operation;
  const { content: whole } = content(answer, components, mediaType);
  const streamed = events && content(events, components, 'text/event-stream').content;
  const others = Object.entries(otherwise).map(([code, { description, answer: other }]) => [
    code,
    { description, headers: answerHeaders, ...content(other, components) },
  ]);
  return {
    [status]: {
      description: success,
      headers: { ...answerHeaders, ...(events && replayHeaders) },
      content: { ...whole, ...streamed },
    },
    ...Object.fromEntries(others),
  };
}

/** The answers of failures, by status. */
function describeFailures(
  codes: readonly ErrorCode[],
  components: Components,
  answer: TSchema = ErrorAnswer,
): Record<string, object> {
  const failures: Record<string, object> = {};
  for (const status of new Set(codes.map((code) => errorTable[code].status))) {
    const texts = codes.map((code) => errorTable[code]).filter((row) => row.status === status);
    failures[status] = {
      description: texts.map(({ text }) => text).join(' '),
      headers: { ...answerHeaders, ...errorHeaders[status] },
      ...content(answer, components),
    };
  }
  return failures;
}

function content(schema: TSchema, components: Components, mediaType = 'application/json') {
  return { content: { [mediaType]: { schema: components.use(schema) } } };
}

function pathParameters(path: string): object[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

function parametersIn(place: 'query' | 'header', schema: TSchema | undefined): object[] {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, { description, ...member }]) => {
    const { hidden, optional } = marksOf(member);
    if (hidden === true) return [];
    const required = optional !== true && member.default === undefined;
    const said = description === undefined ? {} : { description };
    return [{ name, in: place, ...(required ? { required } : {}), schema: member, ...said }];
  });
}
