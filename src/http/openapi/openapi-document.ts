import { errorTable } from '../../core/errors.ts';
import type { JsonObject } from '../../core/request.ts';
import { ResponsesRequestSchema } from '../request/responses-request-schema.ts';
import { catalogueOperations } from './catalogue-operations.ts';
import { catalogueSchemas } from './catalogue-schemas.ts';
import { managementOperations } from './management-operations.ts';
import { managementSchemas } from './management-schemas.ts';
import { describeOperations, json, type Operation } from './operations.ts';
import { responseSchemas } from './response-schemas.ts';

const inferenceStatuses = [400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 502, 503, 524, 529];

/**
 * The interface as OpenAPI 3.1 (operations.md 4). The request body is the very schema that validates it;
 * the errors are those of the error table.
 */
export function openApiDocument(): JsonObject {
  return {
    openapi: '3.1.0',
    info: { title: 'Headgate', version: '1.0.0', license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/api/v1' }],
    security: [{ bearer: [] }],
    paths: {
      '/responses': { post: createResponse() },
      ...describeOperations(
        [planRoute, describeKey, ...catalogueOperations, ...managementOperations],
        textOf,
      ),
    },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: {
        ResponsesRequest: ResponsesRequestSchema,
        ...responseSchemas,
        ...catalogueSchemas,
        ...managementSchemas,
      },
    },
  };
}

const planRoute: Operation = {
  method: 'post',
  path: '/responses/plan',
  id: 'planResponse',
  summary: 'Where a response would be generated, at which cost, and why; nothing is sent or charged',
  body: 'ResponsesRequest',
  answer: 'RoutePlan',
  failures: [400, 401, 403, 404, 413, 422],
};

const describeKey: Operation = {
  method: 'get',
  path: '/key',
  id: 'getCurrentKey',
  summary: 'What the key in use may do and has spent',
  answer: 'KeyInformation',
  failures: [401],
};

function createResponse(): JsonObject {
  const failures = inferenceStatuses.map((status) => [
    status,
    { description: textOf(status), ...json('Error') },
  ]);
  const stream = { schema: { $ref: '#/components/schemas/StreamEvent' } };
  return {
    operationId: 'createResponse',
    summary: 'Generate a response',
    description: 'Needs an inference key.',
    parameters: [
      {
        name: 'X-Service-Metadata',
        in: 'header',
        description: 'Whether the answer carries routing metadata.',
        schema: { type: 'string', enum: ['enabled', 'disabled'], default: 'disabled' },
      },
      {
        name: 'X-Service-Strict',
        in: 'header',
        description: 'Whether the request is refused (422) rather than altered for a provider.',
        schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
      },
      { name: 'X-Session-Id', in: 'header', schema: { type: 'string', maxLength: 256 } },
    ],
    requestBody: { required: true, ...json('ResponsesRequest') },
    responses: {
      200: {
        description: 'The whole answer, or its events when `stream` is true.',
        content: { ...json('Response').content, 'text/event-stream': stream },
      },
      ...Object.fromEntries(failures),
    },
  };
}

/** What the error table says of a status, joined where several rows share it. */
function textOf(status: number): string {
  const rows = Object.values(errorTable).filter((row) => row.status === status);
  return rows.map((row) => row.text).join(' ');
}
