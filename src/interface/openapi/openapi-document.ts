import { apiBase } from '../../edge/paths.ts';
import type { JsonObject } from '../../util/json.ts';
import type { Operation } from '../row.ts';
import { Components } from './components.ts';
import { describeOperation } from './describe-operation.ts';

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
