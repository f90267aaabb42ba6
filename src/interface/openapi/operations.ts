import { type ErrorCode, errorTable } from '../../core/errors.ts';
import type { PageSize } from '../../edge/query.ts';
import { answerHeaders, errorHeaders } from './headers.ts';
import { ref } from './schema-parts.ts';

/** A parameter in the query, what it takes, and whether it must be there. */
export type QueryParameter = readonly [name: string, schema: object, description?: string, required?: true];

/** One operation of the interface, as the document tells it. */
export interface Operation {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** Under `/api/v1`; parameters of the path in braces. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  /** The schema of the answer, by name. */
  readonly answer: string;
  /** The schema of the body, by name. */
  readonly body?: string;
  /** Default 200. */
  readonly success?: number;
  /** How it can fail besides the ways that every operation can, and those that its access and its body bring. */
  readonly failures?: readonly ErrorCode[];
  readonly query?: readonly QueryParameter[];
  /** Parameters in headers. */
  readonly headers?: readonly object[];
  /** `anyone` needs no key; default `key`, any. */
  readonly access?: keyof typeof accessTexts;
}

/** How many entries of a list to leave out. */
export const offset: QueryParameter = ['offset', { type: 'integer', minimum: 0, default: 0 }];

/** How many entries of a list to give. */
export function limitOf({ usual, most }: PageSize, note?: string): QueryParameter {
  return ['limit', { type: 'integer', minimum: 1, maximum: most, default: usual }, note];
}

/** What content of a named schema looks like. */
export const json = (name: string) => ({ content: { 'application/json': { schema: ref(name) } } });

const accessTexts = {
  anyone: 'Needs no key; one that works shows more.',
  key: 'Needs any key.',
  inference: 'Needs an inference key.',
  management: 'Needs a management key.',
};

const accessFailures: Readonly<Record<keyof typeof accessTexts, readonly ErrorCode[]>> = {
  anyone: [],
  key: ['authentication'],
  inference: ['authentication', 'permission_denied'],
  management: ['authentication', 'permission_denied', 'platform_rate_limit'],
};

/** What cannot be read or comes from a page of a foreign origin is refused everywhere, and everything while stopping. */
const commonFailures: readonly ErrorCode[] = ['invalid_request', 'server', 'service_unavailable'];
const bodyFailures: readonly ErrorCode[] = ['deadline_exceeded', 'payload_too_large'];

/** The `paths` of the document for a table of operations. */
export function describeOperations(operations: readonly Operation[]): Record<string, Record<string, object>> {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const { path, method } = operation;
    paths[path] = { ...paths[path], [method]: describe(operation) };
  }
  return paths;
}

/** The answers of failures, by status. */
export function describeFailures(codes: readonly ErrorCode[]): Record<string, object> {
  const failures: Record<string, object> = {};
  for (const status of new Set(codes.map((code) => errorTable[code].status))) {
    const texts = codes.map((code) => errorTable[code]).filter((row) => row.status === status);
    failures[status] = {
      description: texts.map(({ text }) => text).join(' '),
      headers: { ...answerHeaders, ...errorHeaders[status] },
      ...json('Error'),
    };
  }
  return failures;
}

function describe(operation: Operation): object {
  const { id, summary, answer, body, success = 200, failures = [], query = [], access = 'key' } = operation;
  const { path, headers = [] } = operation;
  const failed = describeFailures([
    ...commonFailures,
    ...accessFailures[access],
    ...(body === undefined ? [] : bodyFailures),
    ...failures,
  ]);
  const parameters = [...pathParameters(path), ...query.map(queryParameter), ...headers];
  return {
    operationId: id,
    summary,
    description: accessTexts[access],
    ...(access === 'anyone' ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, ...json(body) } }),
    responses: { [success]: { description: 'Done', headers: answerHeaders, ...json(answer) }, ...failed },
  };
}

function pathParameters(path: string): object[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

function queryParameter([name, schema, description, required]: QueryParameter): object {
  return {
    name,
    in: 'query',
    ...(required ? { required } : {}),
    schema,
    ...(description === undefined ? {} : { description }),
  };
}
