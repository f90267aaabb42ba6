import type { Key } from '../../../clients/headgate-api.ts';
import { State } from '../../parts/state.tsx';
import { zone } from '../../state/preferences.ts';
import { ago, clock, exactTime } from '../../text/time.ts';

const soon = 7 * 86_400_000;

/** Whether a key works, and for how long. */
export function KeyState({ value }: { readonly value: Key }) {
  const now = Date.now();
  const end = value.expires_at == null ? undefined : Date.parse(value.expires_at);
  if (value.disabled) return <State tone="muted">disabled</State>;
  if (end !== undefined && end <= now) return <State tone="bad">expired</State>;
  if (value.limit !== null && (value.limit_remaining ?? 0) <= 0)
    return <State tone="bad">limit reached</State>;
  if (end === undefined) return <State tone="good">active</State>;
  return (
    <span title={exactTime(end, zone())}>
      <State tone={end - now < soon ? 'warn' : 'good'}>expires {ago(end, now)}</State>
    </span>
  );
}

/** That an earlier secret works beside the newest one, where it does. */
export function TwoSecrets({ value }: { readonly value: Key }) {
  const now = Date.now();
  const end = value.previous_secret_ends_at === null ? 0 : Date.parse(value.previous_secret_ends_at);
  if (end <= now) return null;
  return (
    <span class="hint two-secrets" title={exactTime(end, zone())}>
      earlier secret {value.disabled ? 'kept' : 'works'} until {clock(end, zone(), now).replace(/:\d\d$/, '')}
    </span>
  );
}
