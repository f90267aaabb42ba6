import { useState } from 'preact/hooks';
import { messageOf } from '../../api/errors.ts';
import { endSession, listSessions, logOut } from '../../api/session.ts';
import { Failed, Loading, State } from '../../parts/state.tsx';
import { zone } from '../../state/preferences.ts';
import { useQuery } from '../../state/query.ts';
import { plain } from '../../text/format.ts';
import { ago, exactTime } from '../../text/time.ts';

/** Where the key is logged in; each place can be logged out. */
export function Sessions({ id }: { readonly id: string }) {
  const sessions = useQuery(['sessions', id], listSessions, { every: 30_000 });
  const [failure, setFailure] = useState<string>();
  const end = async (one: string) => {
    try {
      await endSession(one);
      sessions.reload();
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  const now = Date.now();
  return (
    <section class="card">
      <div class="card-head">
        <h2>Where this key is logged in</h2>
        <span class="gap" />
        <button type="button" class="button small" onClick={() => void logOut(true)}>
          Log out everywhere
        </button>
      </div>
      {failure !== undefined && (
        <p class="note bad" role="alert">
          {failure}
        </p>
      )}
      {sessions.error !== undefined && sessions.data === undefined ? (
        <Failed error={sessions.error} retry={sessions.reload} />
      ) : sessions.data === undefined ? (
        <Loading height={120} />
      ) : (
        <div class="table-wrap">
          <table class="table fluid">
            <thead>
              <tr>
                <th scope="col">Browser</th>
                <th scope="col" class="wide">
                  Address
                </th>
                <th scope="col">Last used</th>
                <th scope="col">
                  <span class="hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {sessions.data.map((one) => (
                <tr key={one.id}>
                  <td>
                    {one.browser} {one.current && <State tone="good">this one</State>}
                  </td>
                  <td class="wide number">{one.address === null ? '–' : plain(one.address)}</td>
                  <td title={exactTime(one.used_at, zone())}>{ago(one.used_at, now)}</td>
                  <td class="end">
                    {!one.current && (
                      <button type="button" class="button small" onClick={() => void end(one.id)}>
                        Log out
                      </button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
