import type { AppServices } from '../edge/app-services.ts';
import { CallRate } from '../edge/call-rate.ts';
import { pageRoutes } from '../edge/dashboard/page-routes.ts';
import type { Route } from '../edge/route.ts';
import { ResponseSockets } from '../edge/socket/response-sockets.ts';
import { accountRows, pluginDefaultRows } from '../management/accounts/routes.ts';
import { auditRows } from '../management/audit/routes.ts';
import { budgetRows, memberRows } from '../management/budgets/routes.ts';
import { contentRows } from '../management/content/routes.ts';
import { credentialRows, credentialTestRows } from '../management/credentials/routes.ts';
import { RunningTests } from '../management/credentials/try-credential.ts';
import { ledgerExportRow, ledgerRows } from '../management/credits/routes.ts';
import { destinationRows } from '../management/destinations/routes.ts';
import { feedbackRows } from '../management/feedback/routes.ts';
import { fileRows } from '../management/files/routes.ts';
import { guardrailAssignmentRows } from '../management/guardrails/assignment-routes.ts';
import { falsePositiveRows, guardrailRows, guardrailTestRows } from '../management/guardrails/routes.ts';
import { installationRows } from '../management/installation/routes.ts';
import { type InterfaceServices, RunningExports } from '../management/interface-services.ts';
import { keyRows } from '../management/keys/routes.ts';
import { liveRows } from '../management/live/routes.ts';
import { WeeklyPopularity } from '../management/models/query.ts';
import { modelRows } from '../management/models/routes.ts';
import { presetRows, savingRows } from '../management/presets/routes.ts';
import { ProviderChecks } from '../management/providers/check-provider.ts';
import { endpointHealthRows, providerCheckRows } from '../management/providers/routes.ts';
import { reportRows } from '../management/reports/routes.ts';
import { routerRows } from '../management/routers/routes.ts';
import type { Row } from '../management/row.ts';
import { searchRows } from '../management/search/routes.ts';
import { sessionRoutes } from '../management/sessions/routes.ts';
import { AllAccountsUsage } from '../management/usage/all-accounts-usage.ts';
import { usageExportRow, usageRows } from '../management/usage/routes.ts';
import { sessionCallRows } from '../management/usage/sessions.ts';
import { workspaceRows } from '../management/workspaces/routes.ts';
import { Refreshed } from '../util/refreshed.ts';
import { doors } from './doors.ts';
import { inferenceRows } from './inference-rows.ts';
import { openApiDocument } from './openapi-document.ts';
import { metricsRow, serverRows } from './server-rows.ts';

/** The whole interface: every route with what it takes, answers and refuses. */
export const interfaceRows: readonly Row[] = [
  ...inferenceRows,
  ...modelRows,
  ...providerCheckRows,
  ...endpointHealthRows,
  ...keyRows,
  ...credentialRows,
  ...credentialTestRows,
  ...destinationRows,
  ...contentRows,
  ...sessionCallRows,
  ...feedbackRows,
  ...workspaceRows,
  ...budgetRows,
  ...memberRows,
  ...guardrailRows,
  ...falsePositiveRows,
  ...guardrailAssignmentRows,
  ...guardrailTestRows,
  ...pluginDefaultRows,
  ...presetRows,
  ...savingRows({ responses: doors.responses, chat: doors.chatCompletions, messages: doors.messages }),
  ...fileRows,
  ...reportRows,
  ...usageRows,
  usageExportRow,
  ...auditRows,
  ...ledgerRows,
  ledgerExportRow,
  ...accountRows,
  ...routerRows,
  ...liveRows,
  ...installationRows,
  ...searchRows,
  ...serverRows,
];

/** Milliseconds for which what takes room is not read again: anyone may ask how the server is. */
const diskUseFresh = 60_000;

/** The routes of a server. */
export interface ServerRoutes {
  /** Of the interface. */
  readonly api: readonly Route[];
  /** Of the dashboard's own pages and sessions; undefined where it is off. */
  readonly pages: readonly Route[] | undefined;
}

/**
 * The routes of the server, with what they need to answer.
 * @param further Rows beside those of the interface, which no document describes.
 */
export function createRoutes(app: AppServices, further: readonly Row[] = []): ServerRoutes {
  let document: ReturnType<typeof openApiDocument> | undefined;
  const own = {
    sockets: new ResponseSockets(app),
    countRate: new CallRate(() => app.config.limits.countTokensPerMinute, 'Counting tokens: a key'),
    diskUse: new Refreshed(() => app.storage.diskUse(), diskUseFresh, app.clock),
    get stored() {
      return app.config.limits.stored;
    },
    writeRates: {
      files: new CallRate(
        () => app.config.limits.stored.fileWritesPerMinute,
        'Storing and deleting files: an account',
        'account',
      ),
      presets: new CallRate(
        () => app.config.limits.stored.presetWritesPerMinute,
        'Storing presets: an account',
        'account',
      ),
    },
    popularity: new WeeklyPopularity(app.storage.generations, app.clock),
    allUsage: new AllAccountsUsage(app.storage.usage, app.clock),
    runningExports: new RunningExports(),
    runningTests: new RunningTests(),
    providerChecks: new ProviderChecks(),
    document: () => (document ??= openApiDocument(interfaceRows)),
  };
  // With its accessors: the configuration is another one after a reload.
  const services: InterfaceServices = Object.defineProperties(own as InterfaceServices, {
    ...Object.getOwnPropertyDescriptors(app),
  });
  const isElsewhere = (row: Row) => row === metricsRow && app.config.server.metricsPort !== undefined;
  const rows = [...interfaceRows, ...further].filter((row) => !isElsewhere(row));
  return {
    api: rows.flatMap((row) => row.bind(services)),
    pages: app.config.server.dashboard.enabled
      ? [...sessionRoutes(services), ...pageRoutes(services)]
      : undefined,
  };
}
