import { randomUUID } from 'node:crypto';
import { HeadgateError } from '../../core/errors.ts';
import type { Account } from '../../ports/accounts.ts';
import type { Member, MemberRole, WorkspaceMember } from '../../ports/members.ts';
import { malformed } from '../../schema/fault.ts';
import { isoTime } from '../../util/iso-time.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor, OperatorActor } from '../actor.ts';
import { notingRefusal } from '../audit/refusals.ts';
import { derivedId } from '../guardrails/show.ts';
import { makeChange } from '../make-change.ts';
import type { Uses, UsesToChange } from '../services.ts';
import { findWorkspace } from '../workspaces/workspaces.ts';

/** Keys that are looked at before a member goes. */
const mostKeys = 100_000;

interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** A member as JSON. */
export function showMember(member: Member) {
  return {
    id: member.userId,
    email: member.email,
    first_name: member.firstName,
    last_name: member.lastName,
    role: member.role,
  };
}

/** A member's place in a workspace as JSON. */
export function showWorkspaceMember(place: WorkspaceMember) {
  return {
    id: place.id,
    workspace_id: place.workspaceId,
    user_id: place.userId,
    role: place.role === 'org:admin' ? ('admin' as const) : ('member' as const),
    created_at: isoTime(place.createdAt),
  };
}

/** The members of an organization. @throws HeadgateError `not_found` for a personal account. */
export async function listMembers(
  actor: Actor,
  { account: named, ...page }: Page & { readonly account?: string },
  { storage }: Uses<'accounts' | 'members'>,
) {
  const account = await accountOf(actor, named, { storage });
  requireOrganization(account);
  return storage.members.list({ ...page, accountId: account.id });
}

/** What a new member is to be. */
export interface NewMember {
  readonly account?: string;
  readonly userId: string;
  readonly email: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly role: MemberRole;
}

/** Adds a member to an organization. @throws HeadgateError `invalid_request` for one who is there already. */
export function addMember(
  actor: OperatorActor,
  { account: named, ...input }: NewMember,
  services: UsesToChange<'accounts' | 'members'>,
): Promise<Member> {
  const action = 'member.add';
  return notingRefusal({ actor, action, id: input.userId }, services, async () => {
    const account = await accountOf(actor, named, services);
    requireOrganization(account);
    const member = { ...input, accountId: account.id, createdAt: services.clock.now() };
    const change = { actor, action, id: member.userId, accountId: account.id } as const;
    return makeChange({ ...change, after: () => showMember(member) }, services, async ({ members }) => {
      if (await members.add(member)) return member;
      throw new HeadgateError('invalid_request', `"${member.userId}" is a member already`);
    });
  });
}

/**
 * Removes a member, the places in workspaces and the assigned guardrail; the keys of inference stay.
 * @throws HeadgateError `not_found`; `invalid_request` while a management key acts for the member.
 */
export function removeMember(
  actor: OperatorActor,
  { account: named, userId }: { readonly account?: string; readonly userId: string },
  services: UsesToChange<'accounts' | 'members' | 'keys'>,
): Promise<void> {
  const action = 'member.remove';
  return notingRefusal({ actor, action, id: userId }, services, async () => {
    const { id: accountId } = await accountOf(actor, named, services);
    const change = { actor, action, id: userId, accountId, outdates: { kind: 'callers' } } as const;
    await makeChange(change, services, async ({ members, keys }) => {
      const acting = (await keys.listByPrefix('', mostKeys)).find(
        (key) => key.kind === 'management' && key.accountId === accountId && key.creatorUserId === userId,
      );
      if (acting !== undefined) {
        const fault = `the management key "${acting.hash.slice(0, 12)}" acts for "${userId}"; delete it first`;
        throw new HeadgateError('invalid_request', fault);
      }
      if (await members.remove(accountId, userId)) return;
      throw new HeadgateError('not_found', `"${userId}" is no member; see "headgate members list"`);
    });
  });
}

type PlaceServices = UsesToChange<'accounts' | 'workspaces' | 'members'>;

/**
 * The members of a workspace: of the default one all members of the organization.
 * @throws HeadgateError `not_found`.
 */
export async function listWorkspaceMembers(
  actor: Actor,
  { workspace, ...page }: Page & { readonly workspace: string },
  services: Uses<'accounts' | 'workspaces' | 'members'>,
): Promise<{ readonly members: readonly WorkspaceMember[]; readonly total: number }> {
  const account = await accountOf(actor, undefined, services);
  const { id } = await findWorkspace(actor, workspace, services);
  const { members } = services.storage;
  if (id !== account.defaultWorkspaceId) return members.listIn({ ...page, workspaceId: id });
  const all = await members.list({ ...page, accountId: account.id });
  return { members: all.members.map((member) => placeIn(id, member)), total: all.total };
}

/** Every member is in the default workspace, though nobody made the place. */
function placeIn(workspaceId: string, { userId, role, createdAt }: Member): WorkspaceMember {
  return { id: derivedId(`${workspaceId} ${userId}`), workspaceId, userId, role, createdAt };
}

/**
 * Adds members to a workspace; those who are there stay. Returns the places that are new.
 * @throws HeadgateError `not_found`; `invalid_request` for somebody who is no member of the organization.
 */
export function addWorkspaceMembers(
  actor: Actor,
  { workspace, userIds }: { readonly workspace: string; readonly userIds: readonly string[] },
  services: PlaceServices,
): Promise<readonly WorkspaceMember[]> {
  const action = 'member.join';
  return notingRefusal({ actor, action, id: workspace }, services, async () => {
    const { id: workspaceId, accountId } = await findWorkspace(actor, workspace, services);
    const createdAt = services.clock.now();
    const places: WorkspaceMember[] = [];
    for (const [index, userId] of [...new Set(userIds)].entries()) {
      const member = await services.storage.members.find(accountId, userId);
      if (member === undefined) throw malformed(`user_ids[${index}]`, 'is no member of this organization');
      places.push({ id: randomUUID(), workspaceId, userId, role: member.role, createdAt });
    }
    const after = () => ({ user_ids: places.map(({ userId }) => userId) });
    const change = { actor, action, id: workspaceId, accountId, workspaceId, after } as const;
    return makeChange(change, services, ({ members }) => members.join(places));
  });
}

/**
 * Takes members out of a workspace; returns how many were there.
 * @throws HeadgateError `not_found`; `invalid_request` for a member who has working keys there.
 */
export function removeWorkspaceMembers(
  actor: Actor,
  { workspace, userIds }: { readonly workspace: string; readonly userIds: readonly string[] },
  services: PlaceServices,
): Promise<number> {
  const action = 'member.leave';
  return notingRefusal({ actor, action, id: workspace }, services, async () => {
    const { id: workspaceId, accountId } = await findWorkspace(actor, workspace, services);
    const wanted = [...new Set(userIds)];
    const change = { actor, action, id: workspaceId, accountId, workspaceId } as const;
    return makeChange({ ...change, after: () => ({ user_ids: wanted }) }, services, async ({ members }) => {
      const [busy] = await members.withKeysIn(workspaceId, wanted, services.clock.now());
      if (busy !== undefined) {
        throw malformed('user_ids', `"${busy}" has working keys in the workspace; disable them first`);
      }
      return members.leave(workspaceId, wanted);
    });
  });
}

function requireOrganization({ kind }: Account): void {
  if (kind === 'organization') return;
  throw new HeadgateError('not_found', 'A personal account has no members.');
}
