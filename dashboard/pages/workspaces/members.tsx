import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { mayChange } from '../../api/session-state.ts';
import { Failed, Loading } from '../../parts/state.tsx';
import { plain } from '../../text/format.ts';
import { nameOf } from './organization-members.tsx';
import { useMembers, useWorkspaceMembers, type Workspace } from './queries.ts';

/** Who is in a workspace. An account of one person shows nothing. */
export function Members({ workspace }: { readonly workspace: Workspace }) {
  const all = useMembers();
  const here = useWorkspaceMembers(workspace.id, all.data != null);
  const [failure, setFailure] = useState<string>();
  if (all.data === null) return null;
  const error = all.error ?? here.error;
  const isDefault = workspace.slug === 'default';
  const change = async (action: 'add' | 'remove', user: string) => {
    setFailure(undefined);
    const options = { params: { id: workspace.id }, body: { user_ids: [user] } };
    try {
      if (action === 'add') await send('POST', '/workspaces/{id}/members/add', options);
      else {
        const { removed_count: gone } = await send('POST', '/workspaces/{id}/members/remove', options);
        if (gone === 0) setFailure('Every member of the organization stays in its default workspace.');
      }
      here.reload();
    } catch (thrown) {
      setFailure(messageOf(thrown));
    }
  };
  const people = new Map((all.data ?? []).map((member) => [member.id, member]));
  const inside = new Set(here.data?.map(({ user_id: user }) => user));
  const others = (all.data ?? []).filter(({ id }) => !inside.has(id));
  return (
    <section class="card padded stack">
      <h2>Members</h2>
      {error !== undefined && here.data === undefined ? (
        <Failed error={error} retry={() => [all, here].map(({ reload }) => reload())} />
      ) : here.data === undefined ? (
        <Loading />
      ) : here.data.length === 0 ? (
        <p class="muted">Nobody is in this workspace.</p>
      ) : (
        <ul class="plain-list">
          {here.data.map(({ user_id: user, role }) => {
            const person = people.get(user);
            const name = plain(person === undefined ? user : nameOf(person));
            return (
              <li key={user} class="row member">
                <span class="cut">{name}</span> <span class="muted">{role}</span>
                <span class="gap" />
                {mayChange('workspace') && !isDefault && (
                  <button
                    type="button"
                    class="button small"
                    aria-label={`Take out ${name}`}
                    onClick={() => void change('remove', user)}
                  >
                    Take out
                  </button>
                )}
              </li>
            );
          })}
        </ul>
      )}
      {isDefault && <p class="hint">Every member of the organization is in the default workspace.</p>}
      {mayChange('workspace') && !isDefault && others.length > 0 && (
        <label class="label">
          Add
          <select
            class="select"
            value=""
            onChange={({ currentTarget }) => {
              if (currentTarget.value !== '') void change('add', currentTarget.value);
              currentTarget.value = '';
            }}
          >
            <option value="">Choose a member…</option>
            {others.map((member) => (
              <option key={member.id} value={member.id}>
                {plain(nameOf(member))}
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
