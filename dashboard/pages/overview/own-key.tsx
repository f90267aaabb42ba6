import { LimitBar } from '../../parts/limit-bar.tsx';
import { Money } from '../../parts/money.tsx';
import { Failed } from '../../parts/state.tsx';
import { limitCalendar, limitZone } from '../../state/limit-calendar.ts';
import { zone } from '../../state/preferences.ts';
import { resetsAt } from '../../state/resets-at.ts';
import { nanoOf, plain } from '../../text/format.ts';
import { resetWords } from '../../text/reset-words.ts';
import { useOwnKey } from './limits.ts';

/** What a key holder wants to know first: how much is left, and until when. */
export function OwnKey() {
  const key = useOwnKey();
  if (key.error !== undefined && key.data === undefined)
    return <Failed error={key.error} retry={key.reload} />;
  if (key.data === undefined) return null;
  const { label, limit, limit_remaining: left, limit_reset: reset, usage_daily: today } = key.data.data;
  const now = Date.now();
  const next = resetsAt(reset, now, limitCalendar.value);
  return (
    <section class="card padded stack">
      <div class="row">
        <h2>Your key</h2>
        <code>{plain(label)}</code>
      </div>
      {limit === null ? (
        <p>
          No limit. <Money nano={nanoOf(today)} /> spent today.
        </p>
      ) : (
        <>
          <p>
            <strong>
              <Money nano={nanoOf(left ?? 0)} />
            </strong>{' '}
            left of <Money nano={nanoOf(limit)} />
            {next !== undefined && `, ${resetWords(next, now, zone(), limitZone.value)}`}
          </p>
          <LimitBar used={1 - (left ?? 0) / Math.max(limit, 1e-9)} label="Used part of the limit" />
        </>
      )}
    </section>
  );
}
