import { LimitBar } from '../../parts/limit-bar.tsx';
import { Money } from '../../parts/money.tsx';
import { Empty, Failed, Loading } from '../../parts/state.tsx';
import { useKeyList } from '../../state/keys.ts';
import { resetsAt } from '../../state/resets-at.ts';
import { href } from '../../state/url.ts';
import { nanoOf, plain } from '../../text/format.ts';
import { ago } from '../../text/time.ts';

const shown = 6;

/** The limits of keys, those that are nearest to their end first. */
export function Budgets() {
  const keys = useKeyList(30_000);
  const limited = (keys.data ?? [])
    .filter(({ disabled, limit }) => limit !== null && !disabled)
    .map((key) => ({ key, used: 1 - (key.limit_remaining ?? 0) / Math.max(key.limit ?? 0, 1e-9) }))
    .sort((one, other) => other.used - one.used)
    .slice(0, shown);
  return (
    <section class="card">
      <div class="card-head">
        <h2>Limits of keys</h2>
        <span class="gap" />
        <a href={href('keys')}>All keys</a>
      </div>
      {keys.error !== undefined && keys.data === undefined ? (
        <Failed error={keys.error} retry={keys.reload} />
      ) : keys.isLoading ? (
        <Loading height={260} />
      ) : limited.length === 0 ? (
        <Empty title="No key has a limit">
          <p>A limit stops a key before it spends more than you meant.</p>
        </Empty>
      ) : (
        limited.map(({ key, used }) => (
          <div key={key.hash} class="budget">
            <div class="row">
              <a class="cut" href={href(`keys/${key.hash}`)} title={plain(key.name)}>
                {plain(key.name)}
              </a>
              <span class="number">
                <Money nano={nanoOf(key.limit_remaining ?? 0)} /> left of{' '}
                <Money nano={nanoOf(key.limit ?? 0)} />
              </span>
            </div>
            <LimitBar used={used} label={`${plain(key.name)}: used part of its limit`} />
            <span class="hint">{resetText(key.limit_reset)}</span>
          </div>
        ))
      )}
    </section>
  );
}

function resetText(reset: string | null): string {
  const now = Date.now();
  const at = resetsAt(reset, now);
  return at === undefined ? 'for all time' : `${reset}, begins anew ${ago(at, now)} (00:00 UTC)`;
}
