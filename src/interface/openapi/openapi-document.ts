import { type ErrorCode, errorTable } from '../../core/errors.ts';
import { ResponsesRequestSchema } from '../../dialects/responses/request/responses-request-schema.ts';
import type { JsonObject } from '../../util/json.ts';
import { catalogueOperations } from './catalogue-operations.ts';
import { catalogueSchemas } from './catalogue-schemas.ts';
import { answerHeaders, replayHeaders, requestHeaders, routingHeaders } from './headers.ts';
import { managementOperations } from './management-operations.ts';
import { managementSchemas } from './management-schemas.ts';
import { describeFailures, describeOperations, json, type Operation } from './operations.ts';
import { responseSchemas } from './response-schemas.ts';
import { ref } from './schema-parts.ts';
import { serverPaths, serverSchemas } from './server-paths.ts';

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
      ...describeOperations([planRoute, describeKey, ...catalogueOperations, ...managementOperations]),
      ...serverPaths,
    },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: {
        ResponsesRequest: ResponsesRequestSchema,
        ...responseSchemas,
        ...catalogueSchemas,
        ...managementSchemas,
        ...serverSchemas,
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
  headers: routingHeaders,
  access: 'inference',
  failures: ['model_not_found', 'prompt_too_long', 'not_found', 'no_endpoints', 'unprocessable'],
};

const describeKey: Operation = {
  method: 'get',
  path: '/key',
  id: 'getCurrentKey',
  summary: 'What the key in use may do and has spent',
  answer: 'KeyInformation',
};

function createResponse(): JsonObject {
  const stream = { schema: ref('StreamEvent') };
  return {
    operationId: 'createResponse',
    summary: 'Generate a response',
    description: 'Needs an inference key.',
    parameters: requestHeaders,
    requestBody: { required: true, ...json('ResponsesRequest') },
    responses: {
      200: {
        description: 'The whole answer, or its events when `stream` is true.',
        headers: { ...answerHeaders, ...replayHeaders },
        content: { ...json('Response').content, 'text/event-stream': stream },
      },
      ...describeFailures(Object.keys(errorTable) as ErrorCode[]),
    },
  };
}
