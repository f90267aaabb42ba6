import { useRef, useState } from 'preact/hooks';
import type { Key, RotatedKey } from '../../../clients/headgate-api.ts';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogFoot } from '../../parts/dialog-foot.tsx';
import { notify } from '../../state/notice.ts';
import { zone } from '../../state/preferences.ts';
import { plain } from '../../text/format.ts';
import { fullDay, hourMinute } from '../../text/time.ts';
import { ShownOnce } from './shown-once.tsx';

const graces = [
  ['0s', 'at once'],
  ['1h', 'in an hour'],
  ['24h', 'in 24 hours'],
  ['168h', 'in 7 days'],
] as const;

/** Gives a key a new secret and shows it once. */
export function RotateKey({ value, onClose }: { readonly value: Key; readonly onClose: () => void }) {
  const [made, setMade] = useState<RotatedKey>();
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  // One for the dialog: pressing twice, or again after a lost answer, makes one secret.
  const idempotencyKey = useRef(newIdempotencyKey());
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    setBusy(true);
    setFailure(undefined);
    try {
      const grace = String(new FormData(form).get('grace'));
      const headers = { 'idempotency-key': idempotencyKey.current };
      setMade(
        await send('POST', '/keys/{hash}/rotate', { params: { hash: value.hash }, headers, body: { grace } }),
      );
    } catch (error) {
      setFailure(messageOf(error));
    }
    setBusy(false);
  };
  if (made !== undefined) {
    const end = made.replaces.ends_at;
    const name = plain(made.data.name);
    const refused = whyRefused(made.data);
    const close = () => {
      notify(`Rotated ${name}`);
      onClose();
    };
    return (
      <ShownOnce
        title={refused === undefined ? `Key "${name}" is ready` : `New secret of "${name}"`}
        secret={made.key}
        onClose={close}
      >
        <p>
          It replaces <code>{made.replaces.label}</code>, which{' '}
          {made.data.previous_secret_ends_at === null
            ? 'is refused from now on'
            : `${refused === undefined ? 'works until' : 'ends on'} ${fullDay(end, zone())}, ${hourMinute(end, zone())}`}
          .
        </p>
        {refused !== undefined && <p class="note warn">{refused}</p>}
      </ShownOnce>
    );
  }
  const refused = whyRefused(value);
  return (
    <Dialog title={`Rotate "${plain(value.name)}"`} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <p>
          The key gets a new secret. Its limit and what it has spent, its guardrails, models, addresses and
          rates stay as they are.
        </p>
        {refused !== undefined && <p class="note warn">{refused}</p>}
        <label class="label">
          <span>
            The secret <code>{value.label}</code> stops working
          </span>
          <select class="select" name="grace">
            {graces.map(([grace, label]) => (
              <option key={grace} value={grace} selected={grace === '24h'}>
                {label}
              </option>
            ))}
          </select>
          {refused === undefined && (
            <span class="hint">Until then both work and spend out of the same limit.</span>
          )}
        </label>
        <DialogFoot action="Rotate" failure={failure} onCancel={onClose} isDisabled={isBusy} />
      </form>
    </Dialog>
  );
}

/** Why no secret of a key works now, old or new; undefined where they do. */
function whyRefused({ disabled, expires_at: end }: Pick<Key, 'disabled' | 'expires_at'>): string | undefined {
  if (disabled) return 'This key is disabled: neither its new nor its old secret works until you enable it.';
  const isOver = end != null && Date.parse(end) <= Date.now();
  return isOver ? 'This key has expired: neither its new nor its old secret works any more.' : undefined;
}

/** Not `randomUUID`, which browsers have on secure pages only. */
function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16)).join('-');
}
