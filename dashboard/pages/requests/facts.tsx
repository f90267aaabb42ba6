import type { ComponentChildren } from 'preact';
import { Money } from '../../parts/money.tsx';
import { zone } from '../../state/preferences.ts';
import { href } from '../../state/url.ts';
import { count, duration, plain } from '../../text/format.ts';
import { exactTime } from '../../text/time.ts';
import type { Detailed } from './detail.tsx';
import { Outcome } from './outcome.tsx';

/** The facts of a request, by what people ask first. */
export function Facts({ detail }: { readonly detail: Detailed }) {
  const { row, record } = detail;
  const speed = speedOf(detail);
  return (
    <dl class="facts">
      <Fact name="Outcome">
        <Outcome row={row} />
        {record.finish_reason !== null && (
          <span class="muted"> finished: {record.finish_reason.replaceAll('_', ' ')}</span>
        )}
      </Fact>
      <Fact name="Cost">
        {row.unpriced ? 'unknown: the endpoint has no price' : <Money nano={row.cost_nano} />}
        {row.own_credential && (
          <span class="muted">
            {' '}
            by an own credential; list price <Money nano={row.list_cost_nano} />
          </span>
        )}
      </Fact>
      <Fact name="Model">
        {row.model === null ? (
          plain(row.requested_model)
        ) : (
          <a href={href(`models/${encodeURIComponent(row.model)}`)}>{plain(row.model)}</a>
        )}
        {row.model !== null && row.model !== row.requested_model && (
          <span class="muted"> asked for as {plain(row.requested_model)}</span>
        )}
      </Fact>
      {row.router !== null && <Fact name="Router">{plain(row.router)}</Fact>}
      {row.preset !== null && <Fact name="Preset">{plain(row.preset)}</Fact>}
      <Fact name="Provider">
        {row.provider === null ? (
          'none answered'
        ) : (
          <a href={href('requests', { provider: row.provider })}>
            {plain(`${row.provider_name} (${row.endpoint})`)}
          </a>
        )}
      </Fact>
      <Fact name="Key">
        <a href={href('requests', { key: row.key_hash })}>{plain(row.key_label)}</a>
      </Fact>
      <Fact name="Time">
        {duration(row.total_ms)}
        {row.first_token_ms !== null && `, first token after ${duration(row.first_token_ms)}`}
        {speed !== undefined && `, ${count(speed)} tok/s`}
      </Fact>
      <Tokens row={row} />
      <Fact name="Began">{exactTime(row.created_at, zone())}</Fact>
      <Fact name="Ended">{exactTime(row.settled_at, zone())}</Fact>
      <Fact name="Delivery">{row.streamed ? 'streamed' : 'in one piece'}</Fact>
      {record.session_id !== undefined && (
        <Fact name="Session">
          <a href={href(`request-sessions/${encodeURIComponent(record.session_id)}`)}>
            {plain(record.session_id)}
          </a>
        </Fact>
      )}
      {record.external_user !== null && (
        <Fact name="End user">
          <a href={href('requests', { user: record.external_user })}>{plain(record.external_user)}</a>
        </Fact>
      )}
      {record.service_tier !== null && <Fact name="Tier">{record.service_tier}</Fact>}
      {record.user_agent !== null && <Fact name="Client">{plain(record.user_agent)}</Fact>}
      {record.upstream_id !== null && (
        <Fact name="Provider's id">
          <code>{plain(record.upstream_id)}</code>
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function number(value: number | null): string {
  return value === null ? 'unknown' : count(value);
}

/** Output tokens a second, while they came. */
function speedOf({ row, record: { generation_time: time } }: Detailed): number | undefined {
  if (time === null || time <= 0 || row.output_tokens === null) return undefined;
  return Math.round((row.output_tokens * 1000) / time);
}

function Tokens({ row }: Pick<Detailed, 'row'>) {
  const {
    input_tokens: input,
    cached_tokens: cached,
    output_tokens: output,
    reasoning_tokens: reasoning,
  } = row;
  if (input === null && output === null) return <Fact name="Tokens">none</Fact>;
  return (
    <Fact name="Tokens">
      {number(input)} in{cached !== null && ` (${count(cached)} from a cache)`}, {number(output)} out
      {reasoning !== null && reasoning > 0 && ` (${count(reasoning)} reasoning)`}
      {row.estimated && <span class="warn"> (estimated)</span>}
    </Fact>
  );
}
