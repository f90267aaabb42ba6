/** What a member may do: administrators manage everything, others themselves. */
export type MemberRole = 'org:admin' | 'org:member';

/** A person of an organization. */
export interface Member {
  readonly accountId: string;
  readonly userId: string;
  readonly email: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly role: MemberRole;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** A member's place in a workspace. */
export interface WorkspaceMember {
  /** A UUID. */
  readonly id: string;
  readonly workspaceId: string;
  readonly userId: string;
  /** Copied from the organization. */
  readonly role: MemberRole;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** Stores the members of organizations and of their workspaces. */
export interface MemberStore {
  /** False when the account has a member of that user already. */
  add(member: Member): Promise<boolean>;
  find(accountId: string, userId: string): Promise<Member | undefined>;
  /** Oldest first, with the total number. */
  list(
    query: Page & { readonly accountId: string },
  ): Promise<{ readonly members: readonly Member[]; readonly total: number }>;
  /** Removes a member with the places in workspaces and the assigned guardrail. False when there is none. */
  remove(accountId: string, userId: string): Promise<boolean>;
  /** Gives members a place in a workspace; those who have one keep it. Returns the places that are new. */
  join(places: readonly WorkspaceMember[]): Promise<readonly WorkspaceMember[]>;
  /** Members of a workspace, oldest first, with the total number. */
  listIn(
    query: Page & { readonly workspaceId: string },
  ): Promise<{ readonly members: readonly WorkspaceMember[]; readonly total: number }>;
  /** Takes members out of a workspace; returns how many were there. */
  leave(workspaceId: string, userIds: readonly string[]): Promise<number>;
  /** Which of some users have keys in a workspace that work at `now`. */
  withKeysIn(workspaceId: string, userIds: readonly string[], now: number): Promise<readonly string[]>;
}
