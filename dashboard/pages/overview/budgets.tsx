import type { SpendingLimit } from '../../../clients/headgate-api.ts';
import { LimitBar } from '../../parts/limit-bar.tsx';
import { Money } from '../../parts/money.tsx';
import { Empty, Failed, Loading } from '../../parts/state.tsx';
import { limitZone } from '../../state/limit-calendar.ts';
import { zone } from '../../state/preferences.ts';
import { href } from '../../state/url.ts';
import { plain } from '../../text/format.ts';
import { resetWords } from '../../text/reset-words.ts';
import { useLimits } from './limits.ts';

const shown = 6;

/** The limits of keys, workspaces and guardrails, those that are nearest to their end first. */
export function Budgets() {
  const limits = useLimits();
  return (
    <section class="card">
      <div class="card-head">
        <h2>Spending limits</h2>
        <span class="gap" />
        <a href={href('keys')}>All keys</a>
      </div>
      {limits.error !== undefined && limits.data === undefined ? (
        <Failed error={limits.error} retry={limits.reload} />
      ) : limits.data === undefined ? (
        <Loading height={260} />
      ) : limits.data.length === 0 ? (
        <Empty title="Nothing has a limit">
          <p>A limit stops a key or a workspace before it spends more than you meant.</p>
        </Empty>
      ) : (
        limits.data
          .slice(0, shown)
          .map((limit) => (
            <Limit key={`${limit.scope} ${limit.subject} ${limit.reset_interval}`} value={limit} />
          ))
      )}
    </section>
  );
}

const kinds: Readonly<Record<SpendingLimit['scope'], string>> = {
  key: 'key',
  workspace: 'workspace',
  workspace_default_member: 'member, by the default of a workspace',
  workspace_default_key: 'key, by the default of a workspace',
  member: 'member, by a guardrail',
  api_key: 'key, by a guardrail',
};

function Limit({ value }: { readonly value: SpendingLimit }) {
  const { scope, subject, limit_nano: limit, spent_nano: spent, resets_at: resets } = value;
  const [all, used] = [BigInt(limit), BigInt(spent)];
  const left = all > used ? all - used : 0n;
  const name = plain(value.name);
  const until = resets === null ? 'for all time' : resetWords(resets, Date.now(), zone(), limitZone.value);
  return (
    <div class="budget">
      <div class="row">
        <span class="cut" title={name}>
          {scope === 'key' || scope === 'workspace' ? (
            <a href={href(`${scope}s/${encodeURIComponent(subject)}`)}>{name}</a>
          ) : (
            name
          )}{' '}
          <span class="muted">{value.reset_interval ?? 'once'}</span>
        </span>
        <span class="number">
          <Money nano={left} /> left of <Money nano={all} />
        </span>
      </div>
      {/* For drawing only. */}
      <LimitBar
        used={all === 0n ? 1 : Number(used) / Number(all)}
        label={`${name}: used part of its limit`}
      />
      <span class="hint">
        {kinds[scope]}, {until}
      </span>
    </div>
  );
}
