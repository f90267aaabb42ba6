import type { AppServices } from '../edge/app-services.ts';
import { apiBase, inferencePath } from '../edge/paths.ts';
import { handleResponses } from '../edge/responses-route.ts';
import type { Route, RouteAnswer } from '../edge/route.ts';
import { admitAccount } from '../settlement/admit.ts';
import { docsRoute } from './docs/docs-route.ts';
import { reportHealth } from './health-route.ts';
import { describeKey } from './key-route.ts';
import { landingPage } from './landing-page.ts';
import { managementRoutes } from './management/management-routes.ts';
import { sendMetrics } from './metrics-route.ts';
import { modelRoutes } from './models/models-routes.ts';
import { openApiDocument } from './openapi/openapi-document.ts';
import { explainPlan } from './plan/plan-route.ts';

/** Every route of the server in one table. */
export function createRoutes(services: AppServices): readonly Route[] {
  return [
    ...inferenceRoutes(services),
    {
      method: 'GET',
      path: `${apiBase}/key`,
      access: 'key',
      handle: async ({ caller }) => ({ json: await describeKey(caller, services) }),
    },
    ...managementRoutes(services),
    ...modelRoutes(services),
    ...serverRoutes(services),
  ];
}

function inferenceRoutes(services: AppServices): readonly Route[] {
  return [
    {
      method: 'POST',
      path: inferencePath,
      access: 'inference',
      // Once more, as all of admission, after the body: reading it for nothing would cost others their room.
      admit: admitAccount,
      handle: async (call): Promise<RouteAnswer> => {
        await handleResponses(call, call.reply, call.caller, services);
        return undefined;
      },
    },
    {
      method: 'POST',
      path: `${apiBase}/responses/plan`,
      access: 'inference',
      handle: async (call) => ({ json: await explainPlan(call, services) }),
    },
  ];
}

/** What operators and browsers ask. */
function serverRoutes(services: AppServices): readonly Route[] {
  const metrics: Route = {
    method: 'GET',
    path: '/metrics',
    access: 'open',
    alwaysAnswered: true,
    handle: (call) => sendMetrics(call, services),
  };
  return [
    {
      method: 'GET',
      path: '/',
      access: 'open',
      handle: () => ({ type: 'text/html; charset=utf-8', text: landingPage }),
    },
    {
      method: 'GET',
      path: '/health/live',
      access: 'open',
      alwaysAnswered: true,
      handle: () => ({ json: { status: 'ok' } }),
    },
    {
      method: 'GET',
      path: '/health/ready',
      access: 'open',
      alwaysAnswered: true,
      handle: () => reportHealth(services),
    },
    ...(services.config.server.metricsPort === undefined ? [metrics] : []),
    {
      method: 'GET',
      path: '/openapi.json',
      access: 'open',
      alwaysAnswered: true,
      handle: () => ({ json: openApiDocument() }),
    },
    docsRoute(),
  ];
}
