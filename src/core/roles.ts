/** What a person, a workload or a management key is in an account (docs/spec/identity.md#roles). Closed: no custom ones. */
export const roles = ['owner', 'admin', 'editor', 'viewer', 'billing'] as const;

export type Role = (typeof roles)[number];

/**
 * How far a role reaches: all of the account or what its person made, to read or to change. Who may change may read.
 * `read own` and `write own` reach what the person made.
 */
export type Reach = 'write' | 'read' | 'write own' | 'read own' | 'none';

const W = 'write';
const R = 'read';
const no = 'none';

/**
 * What each role may do, by what an operation needs (docs/spec/identity.md#permissions). Inference is run as an inference
 * key of the account, never as the role itself: the row says which keys a role may choose.
 */
const reaches = {
  self: { owner: R, admin: R, editor: R, viewer: R, billing: R },
  inference: { owner: W, admin: W, editor: 'write own', viewer: no, billing: no },
  usage: { owner: R, admin: R, editor: R, viewer: R, billing: R },
  feedback: { owner: W, admin: W, editor: W, viewer: R, billing: R },
  content: { owner: W, admin: W, editor: 'read own', viewer: no, billing: no },
  keys: { owner: W, admin: W, editor: 'write own', viewer: R, billing: no },
  credentials: { owner: W, admin: W, editor: no, viewer: R, billing: no },
  destinations: { owner: W, admin: W, editor: R, viewer: R, billing: no },
  workspaces: { owner: W, admin: W, editor: no, viewer: no, billing: no },
  workspace: { owner: W, admin: W, editor: R, viewer: R, billing: R },
  guardrails: { owner: W, admin: W, editor: R, viewer: R, billing: no },
  presets: { owner: W, admin: W, editor: W, viewer: R, billing: no },
  members: { owner: W, admin: W, editor: R, viewer: R, billing: no },
  billing: { owner: R, admin: R, editor: no, viewer: no, billing: R },
  audit: { owner: R, admin: R, editor: no, viewer: no, billing: no },
  installation: { owner: W, admin: no, editor: no, viewer: no, billing: no },
} as const satisfies Record<string, Record<Role, Reach>>;

/** What an operation needs of who asks for it. */
export type Permission = keyof typeof reaches;

/** All of them, as the matrix in the documents lists them. */
export const permissions = Object.keys(reaches) as readonly Permission[];

/** How far a role reaches. A role that this version does not know, as a later one may have stored it, reaches nothing. */
export function reachOf(role: Role, permission: Permission): Reach {
  const row: Readonly<Partial<Record<string, Reach>>> = reaches[permission];
  return row[role] ?? 'none';
}

/** Whether a role reaches what its person made and nothing else. */
export function reachesOwnAlone(role: Role, permission: Permission): boolean {
  const reach = reachOf(role, permission);
  return reach === 'write own' || reach === 'read own';
}

/** Whether a role means things of a person, and so is of use to a principal alone that acts for one. */
export function hasOwnThings(role: Role): boolean {
  return permissions.some((permission) => reachesOwnAlone(role, permission));
}

/** Whether a role may read with a permission or, where `changes`, change something. */
export function permits(role: Role, permission: Permission, changes: boolean): boolean {
  const reach = reachOf(role, permission);
  return changes ? reach === 'write' || reach === 'write own' : reach !== 'none';
}

/** The roles that may read with a permission or, where `changes`, change something. */
export function rolesWith(permission: Permission, changes: boolean): readonly Role[] {
  return roles.filter((role) => permits(role, permission, changes));
}
