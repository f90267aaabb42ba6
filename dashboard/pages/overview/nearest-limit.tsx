import type { SpendingLimit } from '../../../clients/headgate-api.ts';
import { mayRead, principal } from '../../api/session-state.ts';
import { BurnDownCard, type DrawnLimit } from '../../charts/burn-down-card.tsx';
import { ChartCard } from '../../charts/chart-card.tsx';
import { failureOf } from '../../state/query.ts';
import { limitWindow } from '../../state/resets-at.ts';
import { href } from '../../state/url.ts';
import { nanoOf, plain } from '../../text/format.ts';
import { useLimits, useOwnKey } from './limits.ts';

const title = 'Limit nearest to its end';

/** How the limit is used up that is nearest to its end: of a key or a workspace, and for key holders of their key. */
export function NearestLimit() {
  if (principal.value?.role === 'key') return <OwnLimit />;
  return mayRead('billing') ? <NearestOfAll /> : null;
}

function NearestOfAll() {
  const limits = useLimits();
  // What members and guardrails limit are no sums that series know.
  const nearest = limits.data?.find(({ scope }) => scope === 'key' || scope === 'workspace');
  if (nearest === undefined) {
    return (
      <ChartCard
        title={title}
        data={limits.data && nothing}
        kind="lines"
        summary="Limits of spending"
        note=""
        empty="No key and no workspace has a limit."
        isStale={false}
        failure={failureOf(limits)}
      />
    );
  }
  const { scope, subject, name, reset_interval: reset } = nearest;
  return (
    <BurnDownCard
      title={title}
      value={drawnOf(nearest)}
      about={`${plain(name)}, ${scope}, ${reset ?? 'once'}`}
      controls={
        <a class="hint" href={href(`${scope === 'key' ? 'keys' : 'workspaces'}/${subject}`)}>
          {scope === 'key' ? 'Its key' : 'Its workspace'}
        </a>
      }
    />
  );
}

function drawnOf({ scope, subject, ...limit }: SpendingLimit): DrawnLimit {
  return {
    limit: BigInt(limit.limit_nano),
    reset: limit.reset_interval,
    includesOwn: limit.include_byok,
    spent: BigInt(limit.spent_nano),
    of: scope === 'key' ? { key: subject } : { workspace: subject },
  };
}

function OwnLimit() {
  const key = useOwnKey().data?.data;
  if (key === undefined || key.limit === null) return null;
  const value = {
    limit: nanoOf(key.limit),
    reset: limitWindow(key.limit_reset),
    includesOwn: key.include_byok_in_limit,
    spent: nanoOf(key.usage) + (key.include_byok_in_limit ? nanoOf(key.byok_usage) : 0n),
    // A key sees its own calls alone.
    of: {},
  };
  return <BurnDownCard title="What is left of your limit" value={value} />;
}

const nothing = {
  starts: [],
  bucket: '1d',
  zone: 'UTC',
  isPartial: false,
  series: [],
  axis: String,
} as const;
