import { useState } from 'preact/hooks';
import type { Member } from '../../../clients/headgate-api.ts';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { mayChange } from '../../api/session-state.ts';
import { Failed, Loading } from '../../parts/state.tsx';
import { plain } from '../../text/format.ts';
import { useMembers, useMembersOf } from './queries.ts';

/** The members of the organization that a guardrail is given to; nothing for a personal account. */
export function MemberAssignments({ id }: { readonly id: string }) {
  const here = useMembersOf(id);
  const all = useMembers();
  const [failure, setFailure] = useState<string>();
  if (all.data !== undefined && all.data.members === undefined) return null;
  const members = all.data?.members ?? [];
  const change = async (action: 'add' | 'remove', user: string) => {
    setFailure(undefined);
    const options = { params: { id }, body: { member_user_ids: [user] } };
    try {
      if (action === 'add') await send('POST', '/guardrails/{id}/assignments/members', options);
      else await send('POST', '/guardrails/{id}/assignments/members/remove', options);
      here.reload();
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  const given = new Set(here.data?.map(({ user_id: user }) => user));
  const others = members.filter((one) => !given.has(one.id));
  const nameOf = (user: string) => nameOfMember(members.find((one) => one.id === user)) ?? plain(user);
  return (
    <section class="card padded stack">
      <h2>Given to members</h2>
      {here.error !== undefined && here.data === undefined ? (
        <Failed error={here.error} retry={here.reload} />
      ) : here.data === undefined ? (
        <Loading />
      ) : here.data.length === 0 ? (
        <p class="muted">No member. It would hold for all keys that a member created.</p>
      ) : (
        <ul class="plain-list">
          {here.data.map(({ user_id: user }) => (
            <li key={user} class="row assigned">
              <span class="cut">{nameOf(user)}</span>
              <span class="gap" />
              {mayChange('guardrails') && (
                <button
                  type="button"
                  class="button small"
                  aria-label={`Take away from ${nameOf(user)}`}
                  onClick={() => void change('remove', user)}
                >
                  Take away
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {mayChange('guardrails') && others.length > 0 && (
        <label class="label">
          Add a member
          <select
            class="select"
            value=""
            onChange={({ currentTarget }) => {
              if (currentTarget.value !== '') void change('add', currentTarget.value);
              currentTarget.value = '';
            }}
          >
            <option value="">Choose a member…</option>
            {others.map((one) => (
              <option key={one.id} value={one.id}>
                {nameOfMember(one)}
              </option>
            ))}
          </select>
        </label>
      )}
      {failure !== undefined && (
        <p class="note bad" role="alert">
          {failure}
        </p>
      )}
    </section>
  );
}

function nameOfMember(member: Member | undefined): string | undefined {
  if (member === undefined) return undefined;
  const name = [member.first_name, member.last_name].filter((one) => one !== null).join(' ');
  return plain(name === '' ? member.email : name);
}
