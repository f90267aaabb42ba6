import type { Config } from '../../config/config.ts';
import type { Position } from '../../config/config-error.ts';
import type { ConfigState } from '../../config/config-state.ts';
import { showConfig } from '../../config/show-config.ts';
import { apiBase } from '../../edge/route.ts';
import { flattenValues } from '../../util/flatten-values.ts';
import { isoTime } from '../../util/iso-time.ts';
import {
  anyObject,
  choice,
  flag,
  integer,
  list,
  map,
  named,
  number,
  orNull,
  Type,
  text,
} from '../../util/json-schema.ts';
import type { InterfaceServices } from '../interface-services.ts';
import { answerOf, managed } from '../parts.ts';
import { requireOperator } from '../roles.ts';
import { jsonRow, type Row } from '../row.ts';
import { listAlerts, listProcesses, showAlert, showProcess } from './installation.ts';
import { catalogueNotes, type DownProvider, findRisks, routerNotes } from './risks.ts';

const Figures = Type.Object({
  node: text(),
  state: choice('starting', 'ready', 'draining', 'memory', 'event_loop'),
  dependencies: map(text(), { description: 'The states of database, journal and shared_state' }),
  running: integer({ description: 'Requests' }),
  streams: integer({ description: 'Those of them whose answer is a stream' }),
  waiting_charges: integer({ description: 'Durable on the disk of the process, not in the database yet' }),
  database_ms: orNull(number({ description: 'How long its last report took to be stored' })),
  resident_bytes: integer(),
  heap_used_bytes: integer(),
  heap_limit_bytes: integer(),
  cpu: number({ description: 'Of one processor core, over the last seconds' }),
  event_loop_busy: number({ description: 'Share of the last seconds in which the main thread had work' }),
  event_loop_delay_ms: orNull(
    number({ description: 'How late 99 of 100 timers were at most, to the bound of a bucket' }),
  ),
});

/** The processes of an installation. */
const ProcessList = named(
  'ProcessList',
  Type.Object({
    as_of: text(),
    data: list(
      named(
        'Process',
        Type.Object({
          id: text(),
          host: text(),
          pid: integer(),
          version: text(),
          started_at: text(),
          seen_at: text(),
          is_own: flag({ description: 'Whether it answered this call' }),
          is_lost: flag({ description: 'Whether it reports nothing any more' }),
          figures: orNull(Figures),
        }),
      ),
    ),
  }),
);

/** What operators should look at. */
const RiskList = named(
  'RiskList',
  Type.Object({
    data: list(
      named(
        'Risk',
        Type.Object({
          level: choice('problem', 'warning', 'note'),
          about: choice('processes', 'configuration', 'models', 'providers', 'alerts'),
          text: text(),
        }),
      ),
    ),
  }),
);

/** The alerts of the last days. */
const AlertList = named(
  'AlertList',
  Type.Object({
    enabled: flag({ description: 'Whether alerts are raised at all (alerts.webhook)' }),
    data: list(
      named(
        'Alert',
        Type.Object({
          id: text(),
          type: text(),
          raised_at: text(),
          state: choice('delivered', 'waiting', 'repeating', 'given_up'),
          attempts: integer(),
          delivered_at: orNull(text()),
          data: anyObject(),
        }),
      ),
    ),
  }),
);

/** The configuration in use. */
const Configuration = answerOf(
  'Configuration',
  Type.Object({
    file: orNull(text()),
    loaded_at: text(),
    refused: orNull(
      Type.Object(
        { at: text(), reasons: list(text()) },
        { description: 'Why the file as it is now is not in use' },
      ),
    ),
    needs_restart: list(text(), {
      description: 'Sections that were changed in the file and wait for a restart',
    }),
    values: list(
      Type.Object({
        key: text({ description: 'As in the file, with dots' }),
        value: text({ description: 'As text, or as JSON; what is secret is masked' }),
        source: orNull(
          text({
            description: 'File and line, variable or option; null for a default and what follows from others',
          }),
        ),
      }),
    ),
  }),
);

/** How the installation is; only for operators (docs/spec/dashboard.md#health-page). */
export const installationRows: readonly Row[] = [
  jsonRow({
    ...managed('installation'),
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
    ...managed('installation'),
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
        staleIssuers: services.workloads?.staleIssuers ?? [],
        alerts: config.alerts.webhook !== undefined,
        now: clock.now(),
      });
      return { data: [...data] };
    },
  }),
  jsonRow({
    ...managed('installation'),
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
    ...managed('installation'),
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

/** The configuration in use as JSON, as `headgate check` shows it, with the places of what was set. */
function describeConfig(config: Config, { facts, environment }: Pick<ConfigState, 'facts' | 'environment'>) {
  const { file, ...shown } = showConfig(config, environment);
  const { loadedAt, refused, needRestart, sources } = facts;
  return {
    file: typeof file === 'string' ? file : null,
    loaded_at: isoTime(loadedAt),
    refused: refused === undefined ? null : { at: isoTime(refused.at), reasons: [...refused.reasons] },
    needs_restart: [...needRestart],
    values: flattenValues(shown).map(([key, value]) => ({
      key,
      value,
      source: sourceOf(sources.get(key)),
    })),
  };
}

function sourceOf(position: Position | undefined): string | null {
  if (position === undefined) return null;
  return position.line === undefined ? position.source : `${position.source}:${position.line}`;
}

interface Counted {
  readonly name: string;
  /** Endpoints that were asked within a day. */
  asked: number;
  readonly since: number[];
}

/** The providers of which endpoints are down, with the operator's first credential. */
function downProviders({
  catalogue,
  endpointTroubles,
  statistics,
}: Pick<InterfaceServices, 'catalogue' | 'endpointTroubles' | 'statistics'>): readonly DownProvider[] {
  const counted = new Map<string, Counted>();
  for (const { endpoints } of catalogue().models.values()) {
    for (const endpoint of endpoints) {
      if (statistics.outcomes({ endpoint }) === undefined) continue;
      const { slug, name } = endpoint.provider;
      const one = counted.get(slug) ?? { name, asked: 0, since: [] };
      counted.set(slug, one);
      one.asked += 1;
      const { condition, since } = endpointTroubles.of(endpoint);
      if (condition === 'down' && since !== undefined) one.since.push(since);
    }
  }
  return [...counted.values()].flatMap(({ name, asked, since }) => {
    if (since.length === 0) return [];
    const isAll = since.length === asked;
    // The provider is away since the last one of its endpoints is, and has trouble since the first one has.
    const began = isAll ? Math.max(...since) : Math.min(...since);
    return [{ name, down: since.length, asked, since: began }];
  });
}
