import { Type, text } from '../../util/json-schema.ts';
import { answerDocs } from '../docs/answer-docs.ts';
import { landingPage } from '../landing-page.ts';
import { reportHealth } from '../report-health.ts';
import { jsonRow, plainRow, type Row } from '../row.ts';
import { Liveness, Readiness } from '../schemas/health.ts';
import { sendMetrics } from '../send-metrics.ts';

const html = 'text/html; charset=utf-8';
const page = {
  method: 'GET',
  access: 'open',
  answer: text(),
  mediaType: 'text/html',
  success: 'A page.',
} as const;

/** `GET /metrics`, which an installation may serve on a port of its own instead. */
export const metricsRow: Row = plainRow(
  {
    method: 'GET',
    path: '/metrics',
    access: 'open',
    alwaysAnswered: true,
    id: 'getMetrics',
    summary: 'Metrics for Prometheus',
    description:
      'Needs no key where this machine alone can ask, a management key anywhere else. ' +
      'With `server.metrics_port` it is on that port and not here.',
    answer: text(),
    mediaType: 'text/plain',
    success: 'All of them.',
    failures: ['authentication', 'permission_denied'],
  },
  sendMetrics,
);

/** What operators and browsers ask (docs/spec/operations.md#other-paths). */
export const serverRows: readonly Row[] = [
  jsonRow({
    method: 'GET',
    path: '/health/live',
    access: 'open',
    alwaysAnswered: true,
    id: 'getLiveness',
    summary: 'Whether the process answers',
    answer: Liveness,
    success: 'It does.',
    handle: () => ({ status: 'ok' as const }),
  }),
  plainRow(
    {
      method: 'GET',
      path: '/health/ready',
      access: 'open',
      alwaysAnswered: true,
      id: 'getReadiness',
      summary: 'Whether requests are welcome, and how each dependency is',
      answer: Readiness,
      success: 'They are.',
      otherwise: {
        503: {
          description: 'The server stops, is overloaded, or cannot reach what it needs.',
          answer: Readiness,
        },
      },
    },
    reportHealth,
  ),
  metricsRow,
  jsonRow({
    method: 'GET',
    path: '/openapi.json',
    access: 'open',
    alwaysAnswered: true,
    id: 'getInterface',
    summary: 'This document',
    answer: Type.Unsafe<object>({ type: 'object' }),
    success: 'The interface as OpenAPI 3.1.',
    handle: (_call, services) => services.document(),
  }),
  plainRow(
    {
      ...page,
      path: '/docs',
      alwaysAnswered: true,
      id: 'getReference',
      summary: 'The interface for reading',
    },
    answerDocs,
  ),
  plainRow(
    { ...page, path: '/api', alsoAt: ['/api/hello'], id: 'getLandingPage', summary: 'Where to begin' },
    () => ({
      type: html,
      text: landingPage,
    }),
  ),
];
