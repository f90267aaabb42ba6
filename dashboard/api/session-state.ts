import { computed, signal } from '@preact/signals';
import type { Permission, Reach } from '../../src/core/roles.ts';

export type { Permission } from '../../src/core/roles.ts';

/** Who acts: an inference key, the manager of an account, or the operator of the installation. */
export type Role = 'key' | 'manager' | 'operator';

export interface Principal {
  readonly n: number;
  readonly role: Role;
  readonly key_hash: string;
  readonly label: string;
  readonly name: string;
  readonly account: { readonly id: string; readonly name: string };
  readonly workspace_id: string | null;
  readonly workspaces: readonly { readonly id: string; readonly name: string; readonly slug: string }[];
  readonly may_write: boolean;
  /** How far the role of a management key reaches; null for an inference key. */
  readonly permissions: Readonly<Partial<Record<Permission, Reach>>> | null;
  /** Until when the key counts as typed; null where a link brought it in. */
  readonly typed_until: string | null;
}

type Weekday = 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday';

export interface Session {
  readonly id: string;
  readonly principals: readonly Principal[];
  readonly ends_at: string;
  readonly idle_ms: number;
  readonly as_of: string;
  readonly features: {
    readonly version: string;
    readonly read_only: boolean;
    readonly insecure: boolean;
    /** Where the interface is, where the dashboard has a port of its own. */
    readonly interface_root: string | null;
    /** Where days and weeks of limits begin, and since when (Unix milliseconds); nothing where days are those of UTC. */
    readonly limit_calendar: readonly {
      readonly since: number;
      readonly time_zone: string;
      readonly week_start: Weekday;
    }[];
  };
}

/** Undefined until the server was asked; null without a session. */
export const session = signal<Session | null | undefined>(undefined);

/** Whether a session has ended while a page was open. */
export const hasExpired = signal(false);

/** Which of the session's keys acts, from 1. */
export const actingNumber = signal(1);

export const principal = computed(
  () => session.value?.principals.find(({ n }) => n === actingNumber.value) ?? session.value?.principals[0],
);

const name = 'headgate-csrf';

export function csrf(): string | null {
  return localStorage.getItem(name);
}

export function keepCsrf(token: string | null): void {
  if (token === null) localStorage.removeItem(name);
  else localStorage.setItem(name, token);
}

export function acting(): number {
  return actingNumber.value;
}

export function noteExpiry(): void {
  if (session.value) hasExpired.value = true;
}

/** Whether who acts may read, with their role, what needs a permission. An inference key has no role. */
export function mayRead(needs: Permission): boolean {
  const mine = principal.value;
  if (mine === undefined) return false;
  return mine.permissions === null || (mine.permissions[needs] ?? 'none') !== 'none';
}

/** Whether this session may change what needs a permission. */
export function mayChange(needs: Permission): boolean {
  const mine = principal.value;
  if (mine?.may_write !== true || session.value?.features.read_only !== false) return false;
  return mine.permissions === null || ['write', 'write own'].includes(mine.permissions[needs] ?? 'none');
}

/** Where programs reach the interface, with a slash at its end: beside the dashboard, or on another port. */
export function interfaceRoot(): string {
  return session.value?.features.interface_root ?? root();
}

/** The root of the server, behind whatever path a proxy serves it at. */
export function root(): string {
  return new URL('..', document.baseURI).href;
}
