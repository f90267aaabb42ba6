import { useState } from 'preact/hooks';
import type { Job } from '../../../clients/headgate-api.ts';
import { get, send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { mayChange } from '../../api/session-state.ts';
import { State } from '../../parts/state.tsx';
import { zone } from '../../state/preferences.ts';
import { useQuery } from '../../state/query.ts';
import { count, exactUsd, many, plain } from '../../text/format.ts';
import { ago, exactTime } from '../../text/time.ts';

/** Whether all totals of the installation still add up, and a button that checks it. */
export function Verification() {
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState<string>();
  const last = useQuery(['verification'], async (signal) => (await get('/ledger/verify', { signal })).data, {
    every: isRunning ? 1_000 : 30_000,
  });
  const job = last.data ?? undefined;
  if ((job?.state === 'running') !== isRunning) setRunning(job?.state === 'running');
  const begin = async () => {
    setFailure(undefined);
    try {
      await send('POST', '/ledger/verify');
      last.reload();
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <section class="card padded stack">
      <div class="row verify-head">
        <h2>Check of the ledger</h2>
        {mayChange('installation') && (
          <button type="button" class="button" disabled={isRunning} onClick={() => void begin()}>
            Verify now
          </button>
        )}
      </div>
      <p class="hint">
        Works out every total of every account anew from its entries and requests, beside the traffic.
      </p>
      {failure !== undefined && (
        <p class="note bad" role="alert">
          {failure}
        </p>
      )}
      {job !== undefined && (
        <div aria-live="polite">
          <Outcome job={job} />
        </div>
      )}
    </section>
  );
}

function Outcome({ job }: { readonly job: Job }) {
  const when = (
    <span class="muted" title={exactTime(job.created_at, zone())}>
      begun {ago(job.created_at, Date.now())} by {plain(job.created_by)}
    </span>
  );
  if (job.state === 'running') {
    return (
      <p class="row">
        <progress class="job-progress" max={job.steps} value={job.done} aria-label="Progress of the check" />
        step {count(job.done + 1)} of {count(job.steps)}, {when}
      </p>
    );
  }
  if (job.result === null) {
    return (
      <p class="row">
        <State tone="warn">{job.state === 'lost' ? 'its process ended' : 'it failed, see the log'}</State>{' '}
        {when}
      </p>
    );
  }
  const { count: found, differences } = job.result;
  return (
    <div class="stack">
      <p class="row">
        <State tone={found === 0 ? 'good' : 'bad'}>
          {found === 0 ? 'everything adds up' : many(found, 'difference')}
        </State>{' '}
        {when}
      </p>
      {found > 0 && (
        <div class="table-wrap">
          <table class="table fluid">
            <thead>
              <tr>
                <th scope="col">What differs</th>
                <th scope="col" class="end">
                  Kept
                </th>
                <th scope="col" class="end">
                  Worked out
                </th>
              </tr>
            </thead>
            <tbody>
              {differences.map(({ subject, kept_nano: kept, recomputed_nano: recomputed }) => (
                <tr key={subject}>
                  <td>{plain(subject)}</td>
                  <td class="end">{exactUsd(kept)}</td>
                  <td class="end">{exactUsd(recomputed)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}
