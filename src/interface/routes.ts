import type { AppServices } from '../edge/app-services.ts';
import { CallRate } from '../edge/call-rate.ts';
import { pageRoutes } from '../edge/dashboard/page-routes.ts';
import type { Route } from '../edge/route.ts';
import { ResponseSockets } from '../edge/socket/response-sockets.ts';
import { ProviderChecks } from '../operations/installation/check-provider.ts';
import { AllAccountsUsage } from '../operations/usage/all-accounts-usage.ts';
import { Refreshed } from '../util/refreshed.ts';
import { sessionRoutes } from './dashboard/session-routes.ts';
import type { InterfaceServices } from './interface-services.ts';
import { WeeklyPopularity } from './models/popularity.ts';
import { openApiDocument } from './openapi/openapi-document.ts';
import { RunningExports } from './reports/running-exports.ts';
import type { Row } from './row.ts';
import { accountRows } from './rows/accounts.ts';
import { auditRows } from './rows/audit.ts';
import { budgetRows, memberRows } from './rows/budgets.ts';
import { credentialTestRows } from './rows/credential-test.ts';
import { credentialRows } from './rows/credentials.ts';
import { endpointHealthRows } from './rows/endpoint-health.ts';
import { falsePositiveRows } from './rows/false-positives.ts';
import { fileRows } from './rows/files.ts';
import { guardrailAssignmentRows } from './rows/guardrail-assignments.ts';
import { guardrailTestRows } from './rows/guardrail-test.ts';
import { guardrailRows } from './rows/guardrails.ts';
import { inferenceRows } from './rows/inference.ts';
import { installationRows } from './rows/installation.ts';
import { keyRows } from './rows/keys.ts';
import { ledgerRows } from './rows/ledger.ts';
import { ledgerExportRow } from './rows/ledger-export.ts';
import { liveRows } from './rows/live.ts';
import { modelRows } from './rows/models.ts';
import { pluginDefaultRows } from './rows/plugin-defaults.ts';
import { presetRows } from './rows/presets.ts';
import { providerCheckRows } from './rows/provider-checks.ts';
import { reportRows } from './rows/reports.ts';
import { routerRows } from './rows/routers.ts';
import { searchRows } from './rows/search.ts';
import { metricsRow, serverRows } from './rows/server.ts';
import { usageRows } from './rows/usage.ts';
import { usageExportRow } from './rows/usage-export.ts';
import { workspaceRows } from './rows/workspaces.ts';
import { RunningTests } from './running-tests.ts';

/** The whole interface: every route with what it takes, answers and refuses. */
export const interfaceRows: readonly Row[] = [
  ...inferenceRows,
  ...modelRows,
  ...providerCheckRows,
  ...endpointHealthRows,
  ...keyRows,
  ...credentialRows,
  ...credentialTestRows,
  ...workspaceRows,
  ...budgetRows,
  ...memberRows,
  ...guardrailRows,
  ...falsePositiveRows,
  ...guardrailAssignmentRows,
  ...guardrailTestRows,
  ...pluginDefaultRows,
  ...presetRows,
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
