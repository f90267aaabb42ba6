import { Failed } from '../../parts/state.tsx';
import { plain } from '../../text/format.ts';
import { useMembers } from './queries.ts';

/** The people of an organization. They are added and removed by command, so that a stolen session cannot. */
export function OrganizationMembers() {
  const { data, error, reload } = useMembers();
  if (error !== undefined && data === undefined) return <Failed error={error} retry={reload} />;
  if (data === undefined || data === null) return null;
  return (
    <section class="card">
      <div class="card-head">
        <h2>Members of the organization</h2>
      </div>
      {data.length === 0 ? (
        <p class="card-note muted">
          None. Add one by command: <code>headgate members add</code>.
        </p>
      ) : (
        <div class="table-wrap">
          <table class="table fluid">
            <thead>
              <tr>
                <th scope="col">Member</th>
                <th scope="col" class="wide">
                  User id
                </th>
                <th scope="col">Role</th>
              </tr>
            </thead>
            <tbody>
              {data.map((member) => (
                <tr key={member.id}>
                  <td>
                    {plain(nameOf(member))}
                    <span class="hint cut below">{plain(member.email)}</span>
                  </td>
                  <td class="wide">
                    <code>{plain(member.id)}</code>
                  </td>
                  <td>{member.role === 'org:admin' ? 'admin' : 'member'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

interface Named {
  readonly email: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
}

/** What a member is called. */
export function nameOf({ email, first_name: first, last_name: last }: Named): string {
  const name = [first, last].filter((part) => part !== null && part !== '').join(' ');
  return name === '' ? email : name;
}
