import { State } from '../../parts/state.tsx';
import { duration, plain } from '../../text/format.ts';
import type { Detailed } from './detail.tsx';

/** The endpoints that were asked, one after the other, on one axis of time. */
export function Attempts({ detail }: { readonly detail: Detailed }) {
  const { attempts, row } = detail;
  if (attempts.length === 0)
    return <p class="muted">No endpoint was asked: the request was refused before.</p>;
  const waited = attempts.reduce((sum, { latency_ms: time }) => sum + time, 0);
  const whole = Math.max(1, row.total_ms, waited);
  let start = 0;
  return (
    <ol class="waterfall" style={{ listStyle: 'none', padding: 0, margin: 0 }}>
      {attempts.map((attempt, index) => {
        const begun = start;
        start += attempt.latency_ms;
        const isFailed = attempt.error !== null;
        const part = (time: number) => `${(time / whole) * 100}%`;
        return (
          <li key={index} class="attempt">
            <div class="row">
              <span>
                {index + 1}. {plain(attempt.provider_name)}{' '}
                <span class="muted">{plain(attempt.endpoint)}</span>
                {attempt.own_credential && <span class="muted"> own credential</span>}
              </span>
              <span class="number">
                {isFailed ? (
                  <State tone="bad">
                    {attempt.status} after {duration(attempt.latency_ms)}
                  </State>
                ) : (
                  <State tone="good">first token after {duration(attempt.latency_ms)}</State>
                )}
              </span>
            </div>
            <div class="track" aria-hidden="true">
              <span
                class={isFailed ? 'failed' : 'waited'}
                style={{ insetInlineStart: part(begun), inlineSize: `max(3px, ${part(attempt.latency_ms)})` }}
              />
              {!isFailed && (
                <span
                  class="streamed"
                  style={{
                    insetInlineStart: part(begun + attempt.latency_ms),
                    inlineSize: part(Math.max(0, row.total_ms - begun - attempt.latency_ms)),
                  }}
                />
              )}
            </div>
            {isFailed && (
              <span class="hint">
                {attempt.error_text}
                {attempt.error_code !== null && (
                  <>
                    {' '}
                    Its code: <code>{plain(attempt.error_code)}</code>
                  </>
                )}
              </span>
            )}
          </li>
        );
      })}
    </ol>
  );
}
