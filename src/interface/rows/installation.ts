import { apiBase } from '../../edge/paths.ts';
import { catalogueNotes } from '../../operations/installation/catalogue-notes.ts';
import { findRisks } from '../../operations/installation/find-risks.ts';
import { listAlerts, showAlert } from '../../operations/installation/list-alerts.ts';
import { listProcesses, showProcess } from '../../operations/installation/list-processes.ts';
import { routerNotes } from '../../operations/installation/router-notes.ts';
import { isoTime } from '../../util/iso-time.ts';
import { describeConfig } from '../describe-config.ts';
import { downProviders } from '../models/down-providers.ts';
import { requireOperator } from '../require-operator.ts';
import { jsonRow, type Row } from '../row.ts';
import { AlertList, Configuration, ProcessList, RiskList } from '../schemas/installation.ts';
import { managed } from './management-parts.ts';

/** How the installation is; only for operators (docs/spec/dashboard.md#health-page). */
export const installationRows: readonly Row[] = [
  jsonRow({
    ...managed,
    method: 'GET',
    path: `${apiBase}/processes`,
    id: 'listProcesses',
    summary: 'Every process of the installation, and how each is; only for operators',
    answer: ProcessList,
    handle: async ({ actor }, services) => {
      const processes = await listProcesses(await requireOperator(actor, services), services);
      return { as_of: isoTime(services.clock.now()), data: processes.map(showProcess) };
    },
  }),
  jsonRow({
    ...managed,
    method: 'GET',
    path: `${apiBase}/risks`,
    id: 'listRisks',
    summary: 'What does not work, may soon not, or is worth knowing, the worst first; only for operators',
    answer: RiskList,
    handle: async ({ actor }, services) => {
      const processes = await listProcesses(await requireOperator(actor, services), services);
      const { config, configState, clock } = services;
      const catalogue = services.catalogue();
      const notes = [
        ...catalogueNotes(catalogue, { moderates: config.plugins.moderation !== undefined }),
        ...routerNotes(config.routing, catalogue),
      ];
      const data = findRisks({
        processes,
        providers: downProviders(services),
        configuration: configState.facts,
        notes,
        alerts: config.alerts.webhook !== undefined,
        now: clock.now(),
      });
      return { data: [...data] };
    },
  }),
  jsonRow({
    ...managed,
    method: 'GET',
    path: `${apiBase}/alerts`,
    id: 'listAlerts',
    summary: 'The alerts of the last seven days, newest first, at most 200; only for operators',
    answer: AlertList,
    handle: async ({ actor }, services) => {
      const alerts = await listAlerts(await requireOperator(actor, services), services);
      return { enabled: services.config.alerts.webhook !== undefined, data: alerts.map(showAlert) };
    },
  }),
  jsonRow({
    ...managed,
    method: 'GET',
    path: `${apiBase}/config`,
    id: 'getConfiguration',
    summary: 'The configuration in use and where its values come from, secrets masked; only for operators',
    answer: Configuration,
    handle: async ({ actor }, services) => {
      await requireOperator(actor, services);
      return { data: describeConfig(services.config, services.configState) };
    },
  }),
];
