import { interfaceRoot, isSafeWay } from '../../edge/dashboard/browser-place.ts';
import type { BrowserArrival } from '../../edge/dashboard/session-cookie.ts';
import { typedFor } from '../../edge/dashboard/session-gate.ts';
import { shownId } from '../../operations/sessions/open-session.ts';
import type { DashboardSession, Principal } from '../../ports/dashboard-sessions.ts';
import { isoTime, isoTimeOrNull } from '../../util/iso-time.ts';
import { packageVersion } from '../../util/package-version.ts';
import type { InterfaceServices } from '../interface-services.ts';

/** Holder of an inference key, manager of an account, operator of the installation. */
export type Role = 'key' | 'manager' | 'operator';

/** What a page learns about its session: who acts in it, until when, and which features there are. Never a secret. */
export async function showSession(
  session: DashboardSession,
  arrival: BrowserArrival,
  services: InterfaceServices,
): Promise<object> {
  const { dashboard } = services.config.server;
  const shown = await Promise.all(
    session.principals.map((principal, index) => showPrincipal(principal, index + 1, services)),
  );
  return {
    id: shownId(session),
    principals: shown.filter((one) => one !== undefined),
    ends_at: isoTime(session.endsAt),
    idle_ms: session.idle,
    as_of: isoTime(services.clock.now()),
    features: {
      version: packageVersion(),
      read_only: dashboard.readOnly,
      insecure: !isSafeWay(arrival, services.config.server),
      base_path: '/api/v1',
      interface_root: interfaceRoot(arrival, services.config.server),
      limit_calendar: services.storage.limitCalendar.changes.map(({ since, timeZone, weekStart }) => ({
        since,
        time_zone: timeZone,
        week_start: weekStart,
      })),
    },
  };
}

/** Undefined for a key that is not there any more. */
async function showPrincipal(principal: Principal, n: number, services: InterfaceServices) {
  const { storage } = services;
  const known = await storage.keys.findWithAccount(principal.keyHash);
  if (known === undefined) return undefined;
  const { key, account } = known;
  const role = await roleOf(principal, services);
  const workspaces =
    role === 'key'
      ? []
      : (await storage.workspaces.list({ accountId: account.id, offset: 0, limit: mostWorkspaces }))
          .workspaces;
  return {
    n,
    role,
    key_hash: key.hash,
    label: key.label,
    name: key.name,
    account: { id: account.id, name: account.name },
    workspace_id: key.workspaceId,
    workspaces: workspaces.map(({ id, name, slug }) => ({ id, name, slug })),
    may_write: key.scopes === null,
    typed_until: isoTimeOrNull(principal.typedAt === undefined ? null : principal.typedAt + typedFor),
  };
}

/** Workspaces that a page can choose from. */
const mostWorkspaces = 100;

/** What a key may see (docs/spec/dashboard.md#roles). */
export async function roleOf(
  { kind, accountId }: Pick<Principal, 'kind' | 'accountId'>,
  { config, storage }: Pick<InterfaceServices, 'config' | 'storage'>,
): Promise<Role> {
  if (kind === 'inference') return 'key';
  const { operatorAccounts } = config.server.dashboard;
  if (operatorAccounts.length > 0) return operatorAccounts.includes(accountId) ? 'operator' : 'manager';
  const [first] = await storage.accounts.list();
  return first?.id === accountId ? 'operator' : 'manager';
}
