import type { ComponentType } from 'preact';
import { mayRead, type Permission, principal, type Role } from '../api/session-state.ts';
import type { IconName } from '../parts/icon.tsx';

/** The groups of the navigation, in their order. */
export const pageGroups = ['Observe', 'Build', 'Control', 'System'] as const;

type PageGroup = (typeof pageGroups)[number];

/** One page: navigation, palette, titles and the tests are made of this table. */
export interface Page {
  /** Below `/ui/`; the overview is the root. */
  readonly path: string;
  readonly title: string;
  /** What else people call it, for the search. */
  readonly alias: string;
  readonly icon: IconName;
  /** Where it stands in the navigation. */
  readonly group: PageGroup;
  /** Pressed after `g`. */
  readonly key: string;
  readonly roles: readonly Role[];
  /** Where the chosen range of time matters: on the whole page, or only on one of its tabs and where an id follows. */
  readonly range?: 'page' | { readonly tab?: string };
  readonly load: () => Promise<ComponentType<PageProps>>;
  /** What the role of a management key must reach to see it; absent where any does. */
  readonly needs?: Permission;
}

export interface PageProps {
  /** What follows the page in the address, decoded. */
  readonly id: string | undefined;
}

/** Whether a page is for who acts. */
export function isShown({ roles, needs }: Page): boolean {
  return roles.includes(principal.value?.role ?? 'key') && (needs === undefined || mayRead(needs));
}

const all: readonly Role[] = ['key', 'manager', 'operator'];
const managers: readonly Role[] = ['manager', 'operator'];

/** In the order of the navigation. */
export const pages: readonly Page[] = [
  {
    path: '',
    title: 'Overview',
    alias: 'home start dashboard',
    icon: 'overview',
    key: 'o',
    group: 'Observe',
    roles: all,
    range: 'page',
    load: async () => (await import('../pages/overview/overview-page.tsx')).OverviewPage,
  },
  {
    path: 'live',
    title: 'Live',
    alias: 'running streaming',
    icon: 'live',
    key: 'l',
    group: 'Observe',
    roles: all,
    load: async () => (await import('../pages/live/live-page.tsx')).LivePage,
  },
  {
    path: 'requests',
    title: 'Requests',
    alias: 'logs calls generations history',
    icon: 'requests',
    key: 'r',
    group: 'Observe',
    roles: all,
    range: 'page',
    load: async () => (await import('../pages/requests/requests-page.tsx')).RequestsPage,
  },
  {
    path: 'request-sessions',
    title: 'Sessions',
    alias: 'conversations agents runs traces',
    icon: 'sessions',
    key: 'i',
    group: 'Observe',
    roles: all,
    range: 'page',
    load: async () => (await import('../pages/sessions/sessions-page.tsx')).SessionsPage,
  },
  {
    path: 'playground',
    title: 'Playground',
    alias: 'chat try test',
    icon: 'playground',
    key: 'p',
    group: 'Build',
    roles: all,
    needs: 'inference',
    load: async () => (await import('../pages/playground/playground-page.tsx')).PlaygroundPage,
  },
  {
    path: 'models',
    title: 'Models & providers',
    alias: 'endpoints prices',
    icon: 'models',
    key: 'm',
    group: 'Build',
    roles: all,
    range: { tab: 'providers' },
    load: async () => (await import('../pages/models/models-page.tsx')).ModelsPage,
  },
  {
    path: 'presets',
    title: 'Presets',
    alias: 'prompts templates',
    icon: 'presets',
    key: 'n',
    group: 'Build',
    roles: all,
    needs: 'presets',
    load: async () => (await import('../pages/presets/presets-page.tsx')).PresetsPage,
  },
  {
    path: 'routers',
    title: 'Routers',
    alias: 'auto routing',
    icon: 'routers',
    key: 'u',
    group: 'Build',
    roles: managers,
    needs: 'usage',
    load: async () => (await import('../pages/routers/routers-page.tsx')).RoutersPage,
  },
  {
    path: 'explain',
    title: 'Route explainer',
    alias: 'plan why',
    icon: 'explain',
    key: 'e',
    group: 'Build',
    roles: all,
    needs: 'inference',
    load: async () => (await import('../pages/explain/explain-page.tsx')).ExplainPage,
  },
  {
    path: 'keys',
    title: 'Keys',
    alias: 'api tokens',
    icon: 'keys',
    key: 'k',
    group: 'Control',
    roles: managers,
    range: {},
    needs: 'keys',
    load: async () => (await import('../pages/keys/keys-page.tsx')).KeysPage,
  },
  {
    path: 'workspaces',
    title: 'Workspaces',
    alias: 'teams projects budgets members',
    icon: 'workspaces',
    key: 'w',
    group: 'Control',
    roles: managers,
    load: async () => (await import('../pages/workspaces/workspaces-page.tsx')).WorkspacesPage,
  },
  {
    path: 'guardrails',
    title: 'Guardrails & plugins',
    alias: 'filters moderation',
    icon: 'guardrails',
    key: 'd',
    group: 'Control',
    roles: managers,
    needs: 'guardrails',
    load: async () => (await import('../pages/guardrails/guardrails-page.tsx')).GuardrailsPage,
  },
  {
    path: 'credentials',
    title: 'Own credentials',
    alias: 'byok provider secrets',
    icon: 'credentials',
    key: 'c',
    group: 'Control',
    roles: managers,
    needs: 'credentials',
    load: async () => (await import('../pages/credentials/credentials-page.tsx')).CredentialsPage,
  },
  {
    path: 'credits',
    title: 'Credits & ledger',
    alias: 'billing balance charges spend',
    icon: 'credits',
    key: 'b',
    group: 'Control',
    roles: managers,
    needs: 'billing',
    load: async () => (await import('../pages/credits/credits-page.tsx')).CreditsPage,
  },
  {
    path: 'health',
    title: 'Health',
    alias: 'status alerts uptime',
    icon: 'health',
    key: 'h',
    group: 'System',
    roles: ['operator'],
    load: async () => (await import('../pages/health/health-page.tsx')).HealthPage,
  },
  {
    path: 'audit',
    title: 'Audit log',
    alias: 'changes who',
    icon: 'audit',
    key: 'a',
    group: 'System',
    roles: managers,
    range: 'page',
    needs: 'audit',
    load: async () => (await import('../pages/audit/audit-page.tsx')).AuditPage,
  },
  {
    path: 'destinations',
    title: 'Destinations',
    alias: 'traces observability langfuse otel webhook',
    icon: 'destinations',
    key: 't',
    group: 'System',
    roles: managers,
    needs: 'destinations',
    load: async () => (await import('../pages/destinations/destinations-page.tsx')).DestinationsPage,
  },
  {
    path: 'settings',
    title: 'Settings',
    alias: 'configuration preferences sessions',
    icon: 'settings',
    key: 's',
    group: 'System',
    roles: all,
    load: async () => (await import('../pages/settings/settings-page.tsx')).SettingsPage,
  },
];
