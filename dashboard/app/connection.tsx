import { useEffect } from 'preact/hooks';
import { awaySince, watchConnection } from '../api/connection.ts';
import { zone } from '../state/preferences.ts';
import { queries } from '../state/query.ts';
import { clock } from '../text/time.ts';

/** Says that the server is away; when it is back, everything on the page is asked again. */
export function Connection() {
  useEffect(() => watchConnection(() => void queries.invalidateQueries()), []);
  const since = awaySince.value;
  return (
    <div role="status" class="connection">
      {since !== undefined && (
        <p class="banner">
          The server has not answered since {clock(since, zone())}. What you see may be old; the page goes on
          by itself when it is back.
        </p>
      )}
    </div>
  );
}
