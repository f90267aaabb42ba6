import { useEffect, useState } from 'preact/hooks';
import type { CallDetail } from '../../../clients/headgate-api.ts';
import { get } from '../../api/client.ts';
import { mayRead, principal } from '../../api/session-state.ts';
import { Copy } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Failed, Loading } from '../../parts/state.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useQuery } from '../../state/query.ts';
import { choice, choose, href } from '../../state/url.ts';
import { plain } from '../../text/format.ts';
import { Attempts } from './attempts.tsx';
import { Content } from './content.tsx';
import { CostTable } from './cost-table.tsx';
import { Facts } from './facts.tsx';
import { Outcome } from './outcome.tsx';
import { Pipeline } from './pipeline.tsx';
import { Plan } from './plan.tsx';
import { Related } from './related.tsx';
import { playgroundOf, replayOf } from './replay.ts';

export type Detailed = CallDetail['data'];

interface DetailProps {
  readonly id: string;
  readonly onClose: () => void;
  readonly onPrevious?: () => void;
  readonly onNext?: () => void;
}

/** All that is known of one request. */
export function Detail({ id, onClose, onPrevious, onNext }: DetailProps) {
  const found = useQuery(['call', id], (signal) => get('/generations/{id}', { params: { id }, signal }));
  const [heading, setHeading] = useState<HTMLElement | null>(null);
  useEffect(() => heading?.focus({ preventScroll: true }), [heading]);
  const detail = found.data?.data;
  return (
    <aside class="card detail" aria-label="Request">
      <div class="detail-head">
        <h2 class="mono cut" tabIndex={-1} ref={setHeading} title={id}>
          {id}
        </h2>
        <button
          type="button"
          class="button plain small"
          aria-label="Previous request"
          disabled={onPrevious === undefined}
          onClick={onPrevious}
        >
          <Icon name="left" />
        </button>
        <button
          type="button"
          class="button plain small"
          aria-label="Next request"
          disabled={onNext === undefined}
          onClick={onNext}
        >
          <Icon name="right" />
        </button>
        {detail !== undefined && <Actions detail={detail} />}
        <button type="button" class="button plain small" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      {found.error !== undefined && detail === undefined ? (
        <Failed error={found.error} retry={found.reload} />
      ) : detail === undefined ? (
        <Loading height={400} />
      ) : (
        <Body detail={detail} />
      )}
    </aside>
  );
}

function Actions({ detail }: { readonly detail: Detailed }) {
  const { row } = detail;
  return (
    <Menu label="More about this request" button={<Icon name="more" />}>
      <a href={replayOf(detail)}>Explain where it would go now</a>
      <a href={playgroundOf(detail)}>Open in the playground</a>
      <a href={href('requests', { model: row.model ?? row.requested_model })}>Other requests of the model</a>
      <a href={href('requests', { key: row.key_hash })}>Other requests of the key</a>
      {detail.record.session_id !== undefined && (
        <a href={href(`request-sessions/${encodeURIComponent(detail.record.session_id)}`)}>Its session</a>
      )}
    </Menu>
  );
}

function Body({ detail }: { readonly detail: Detailed }) {
  const { pipeline = [] } = detail.record;
  const tabs = [
    { name: 'overview', label: 'Overview' },
    ...(principal.value?.role === 'key' || !mayRead('content')
      ? []
      : [{ name: 'content', label: 'Content' }]),
    { name: 'attempts', label: `Attempts (${detail.attempts.length})` },
    { name: 'plan', label: 'Plan' },
    ...(pipeline.length > 0 ? [{ name: 'pipeline', label: `Pipeline (${pipeline.length})` }] : []),
    { name: 'cost', label: 'Cost' },
    ...(detail.related.length > 0 ? [{ name: 'related', label: `Related (${detail.related.length})` }] : []),
    { name: 'record', label: 'Record' },
  ];
  const asked = choice('tab');
  const chosen = tabs.some(({ name }) => name === asked) ? (asked ?? 'overview') : 'overview';
  return (
    <Tabs
      label="About this request"
      tabs={tabs}
      chosen={chosen}
      onChoose={(name) => choose({ tab: name }, { replace: true })}
    >
      <div class="detail-body">
        {chosen === 'overview' && <Overview detail={detail} />}
        {chosen === 'content' && <Content detail={detail} />}
        {chosen === 'attempts' && <Attempts detail={detail} />}
        {chosen === 'plan' && <Plan detail={detail} />}
        {chosen === 'pipeline' && <Pipeline entries={pipeline} />}
        {chosen === 'cost' && <CostTable detail={detail} />}
        {chosen === 'related' && <Related rows={detail.related} />}
        {chosen === 'record' && <Record detail={detail} />}
      </div>
    </Tabs>
  );
}

function Overview({ detail }: { readonly detail: Detailed }) {
  return (
    <div class="stack">
      {detail.row.outcome === 'refused' && (
        <p class="note bad">
          <Outcome row={detail.row} />
          <br />
          {plain(detail.error_text ?? '')} No endpoint was asked, and nothing was charged.
        </p>
      )}
      {detail.row.outcome === 'failed' && (
        <p class="note bad">
          <Outcome row={detail.row} />
          <br />
          {detail.error_text ?? 'No endpoint was asked.'} Nothing was charged.
        </p>
      )}
      {detail.row.outcome === 'cancelled' && (
        <p class="note warn">The client left before the end. What was written until then was charged.</p>
      )}
      <Attempts detail={detail} />
      <Facts detail={detail} />
    </div>
  );
}

function Record({ detail }: { readonly detail: Detailed }) {
  const text = JSON.stringify(detail.record, undefined, 2);
  return (
    <div class="stack">
      <div class="row">
        <Copy text={text} label="Copy JSON" />
        <span class="hint">What GET /generation answers. Never what was said.</span>
      </div>
      <pre>{text}</pre>
    </div>
  );
}
