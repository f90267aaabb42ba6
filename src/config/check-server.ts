import { formatDuration } from '../schema/units.ts';
import { zoneName } from '../util/local-days.ts';
import type { Reading } from './reading.ts';
import type { Settings } from './schema.ts';

/** Notes what is wrong with the listener, its processes and their database beside other settings. */
export function checkServer(settings: Partial<Settings>, reading: Reading): void {
  checkWorkers(settings, reading);
  checkMetricsPort(settings.server, reading);
  checkDashboardPort(settings.server, reading);
  checkBasePaths(settings.server, reading);
  checkProxies(settings.server, reading);
  if (settings.database?.retention_days !== undefined && isOnSqlite(settings.database))
    reading.warn('database.retention_days', 'it has no effect on SQLite, which keeps all records');
}

function isOnSqlite(database: Partial<Settings>['database']): boolean {
  return /^sqlite:/.test(database?.url ?? 'sqlite:');
}

/**
 * Several processes share what only servers of their own can share exactly (docs/spec/operations.md#several-processes).
 */
function checkWorkers(
  { server, database, shared_state: sharedState }: Partial<Settings>,
  reading: Reading,
): void {
  const workers = server?.workers ?? 1;
  if (workers === 1) return;
  const missing: string[] = [];
  if (isOnSqlite(database) && !reading.hasProblemAt('database.url')) {
    missing.push('database.url (HEADGATE_DATABASE_URL) to postgres://...');
  }
  if (sharedState?.url === undefined && !reading.hasProblemAt('shared_state.url')) {
    missing.push('shared_state.url (HEADGATE_REDIS_URL) to redis://...');
  }
  if (missing.length === 0) return;
  reading.problem('server.workers', {
    problem: `${workers} processes need PostgreSQL and Redis`,
    allowed: '1 without them',
    remedy: `set ${missing.join(' and ')}, or leave server.workers out`,
  });
}

/** Links in answers, the document of the interface and the command line use the main path. */
function checkBasePaths(server: Partial<Settings>['server'], reading: Reading): void {
  const paths = server?.base_paths;
  if (paths === undefined || paths.includes('/api/v1')) return;
  reading.problem('server.base_paths', {
    problem: 'leaves out /api/v1',
    allowed: '/api/v1 and aliases of it',
    remedy: 'add /api/v1',
  });
}

/** Warns of proxies that anybody can pretend to be (docs/spec/operations.md#proxies). */
function checkProxies(server: Partial<Settings>['server'], reading: Reading): void {
  const trusted = server?.trust_proxy;
  const remedy = 'set the addresses of your proxies, such as [127.0.0.1, 10.0.0.5], or how many there are';
  if (trusted === true) {
    reading.warn(
      'server.trust_proxy',
      `true believes X-Forwarded-For of everybody, so a client in a private network can forge its address; ${remedy}`,
    );
  }
  if (!Array.isArray(trusted)) return;
  trusted.forEach((entry: unknown, index) => {
    if (!String(entry).endsWith('/0')) return;
    reading.warn(
      `server.trust_proxy[${index}]`,
      `${entry} is every address, so every client can forge its own; ${remedy}`,
    );
  });
}

function checkMetricsPort(server: Partial<Settings>['server'], reading: Reading): void {
  const { port, metrics_port: metricsPort } = server ?? {};
  if (metricsPort === undefined || metricsPort !== port) return;
  reading.problem('server.metrics_port', {
    problem: `${metricsPort} is server.port too`,
    allowed: 'another port',
    remedy: 'change it, or leave it out to serve metrics beside requests',
  });
}

function checkDashboardPort(server: Partial<Settings>['server'], reading: Reading): void {
  const { port, metrics_port: metricsPort, dashboard } = server ?? {};
  const own = dashboard?.port;
  if (own === undefined || (own !== port && own !== metricsPort)) return;
  reading.problem('server.dashboard.port', {
    problem: `${own} is ${own === port ? 'server.port' : 'server.metrics_port'} too`,
    allowed: 'another port',
    remedy: 'change it, or leave it out to serve the dashboard beside the interface',
  });
}

/** A hold whose lease ends before it is renewed would be let go of while its request still runs. */
export function checkLeases(limits: Partial<Settings>['limits'], reading: Reading): void {
  const { lease, lease_renewal: renewal } = limits?.in_flight_budget ?? {};
  if (lease === undefined || renewal === undefined || renewal < lease) return;
  reading.problem('limits.in_flight_budget.lease_renewal', {
    problem: `is not shorter than lease (${formatDuration(lease)})`,
    allowed: `less than ${formatDuration(lease)}`,
    remedy: 'shorten it or raise lease',
  });
}

/** Zones are known to the runtime, by names of the IANA database. */
export function checkResetZone(limits: Partial<Settings>['limits'], reading: Reading): void {
  const zone = limits?.reset_timezone;
  if (zone === undefined || zoneName(zone) !== undefined) return;
  reading.problem('limits.reset_timezone', {
    problem: `${JSON.stringify(zone.slice(0, 60))} is no time zone`,
    allowed: 'a name of the IANA database, such as UTC, Europe/Berlin or America/New_York',
    remedy: 'name the city that keeps the time you mean; offsets such as +02:00 know no summer time',
  });
}
