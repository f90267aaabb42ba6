import { dependencyStates } from '../../metrics/dependency-health.ts';
import type { JsonObject } from '../../util/json.ts';
import { answerHeaders as headers } from './headers.ts';
import { describeFailures, json } from './operations.ts';
import { flag, object, string, words } from './schema-parts.ts';

/** A page of a foreign origin is refused here as well. */
const failures = describeFailures(['invalid_request', 'server']);
/** These lie beside the interface and not under its base. */
const servers = [{ url: '' }];
const open = { servers, security: [] };

const dependencies = Object.entries(dependencyStates).map(([name, states]) => [name, words(...states)]);

/** The bodies of what operators and browsers ask, by name. */
export const serverSchemas: Readonly<Record<string, JsonObject>> = {
  Liveness: object({ status: words('ok') }),
  Readiness: object({
    status: words('ok', 'degraded', 'unavailable'),
    draining: flag,
    'overload?': words('memory', 'event_loop'),
    dependencies: object(Object.fromEntries(dependencies)),
  }),
};

/** What the server answers besides the interface (operations.md 4). */
export const serverPaths: JsonObject = {
  '/health/live': {
    get: {
      ...open,
      operationId: 'getLiveness',
      summary: 'Whether the process answers',
      responses: { 200: { headers, description: 'It does.', ...json('Liveness') }, ...failures },
    },
  },
  '/health/ready': {
    get: {
      ...open,
      operationId: 'getReadiness',
      summary: 'Whether requests are welcome, and how each dependency is',
      responses: {
        200: { headers, description: 'They are.', ...json('Readiness') },
        503: {
          headers,
          description: 'The server stops, is overloaded, or cannot reach what it needs.',
          ...json('Readiness'),
        },
        ...failures,
      },
    },
  },
  '/metrics': {
    get: {
      servers,
      security: [{}, { bearer: [] }],
      operationId: 'getMetrics',
      summary: 'Metrics for Prometheus',
      description:
        'Needs no key where this machine alone can ask, a management key anywhere else. ' +
        'With `server.metrics_port` it is on that port and not here.',
      responses: {
        200: { headers, description: 'All of them.', content: { 'text/plain': { schema: string } } },
        ...failures,
        ...describeFailures(['authentication', 'permission_denied']),
      },
    },
  },
  '/openapi.json': {
    get: {
      ...open,
      operationId: 'getInterface',
      summary: 'This document',
      responses: {
        200: {
          headers,
          description: 'The interface as OpenAPI 3.1.',
          content: { 'application/json': { schema: { type: 'object' } } },
        },
        ...failures,
      },
    },
  },
  '/docs': page('getReference', 'The interface for reading'),
  '/': page('getLandingPage', 'Where to begin', describeFailures(['service_unavailable'])),
};

function page(operationId: string, summary: string, more: object = {}): JsonObject {
  return {
    get: {
      ...open,
      operationId,
      summary,
      responses: {
        200: { headers, description: 'A page.', content: { 'text/html': { schema: string } } },
        ...failures,
        ...more,
      },
    },
  };
}
