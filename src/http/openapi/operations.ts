import { ref } from './schema-parts.ts';

/** A parameter in the query, and what it takes. */
export type QueryParameter = readonly [name: string, schema: object, description?: string];

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
  /** Statuses of failure besides 500. */
  readonly failures: readonly number[];
  readonly query?: readonly QueryParameter[];
  /** `anyone` needs no key; default `key`. */
  readonly access?: 'anyone' | 'key' | 'management';
}

/** What content of a named schema looks like. */
export const json = (name: string) => ({ content: { 'application/json': { schema: ref(name) } } });

const accessTexts = {
  anyone: 'Needs no key; one that works shows more.',
  key: 'Needs any key.',
  management: 'Needs a management key.',
};

/**
 * The `paths` of the document for a table of operations.
 * @param textOf What the error table says of a status.
 */
export function describeOperations(
  operations: readonly Operation[],
  textOf: (status: number) => string,
): Record<string, Record<string, object>> {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const { path, method } = operation;
    paths[path] = { ...paths[path], [method]: describe(operation, textOf) };
  }
  return paths;
}

function describe(operation: Operation, textOf: (status: number) => string): object {
  const { id, summary, answer, body, success = 200, failures, query = [], access = 'key', path } = operation;
  const failed = [...failures, 500].map((status) => [
    status,
    { description: textOf(status), ...json('Error') },
  ]);
  const parameters = [...pathParameters(path), ...query.map(queryParameter)];
  return {
    operationId: id,
    summary,
    description: accessTexts[access],
    ...(access === 'anyone' ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, ...json(body) } }),
    responses: { [success]: { description: 'Done', ...json(answer) }, ...Object.fromEntries(failed) },
  };
}

function pathParameters(path: string): object[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

function queryParameter([name, schema, description]: QueryParameter): object {
  return { name, in: 'query', schema, ...(description === undefined ? {} : { description }) };
}
