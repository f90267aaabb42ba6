import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogFoot } from '../../parts/dialog-foot.tsx';
import { Money } from '../../parts/money.tsx';
import { confirmTypedKey, TypedKey } from '../../parts/typed-key.tsx';
import { notify } from '../../state/notice.ts';
import { plain } from '../../text/format.ts';
import { nanoOfText } from '../../text/nano-of.ts';

interface GrantProps {
  readonly account: { readonly id: string; readonly name: string };
  /** Nano-USD. */
  readonly balance: string;
  readonly onClose: () => void;
}

const kinds = [
  ['grant', 'Grant: a gift'],
  ['purchase', 'Purchase: counts as bought'],
  ['refund', 'Refund: taken back'],
] as const;

type Kind = (typeof kinds)[number][0];

/** Books a movement of credits and shows what the balance will be. */
export function Grant({ account, balance, onClose }: GrantProps) {
  const [kind, setKind] = useState<Kind>('grant');
  const [amount, setAmount] = useState('');
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const nano = nanoOfText(amount);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    if (nano === undefined || nano === 0n) {
      setFailure('Write the amount as USD with at most nine decimals, such as 25 or 0.5.');
      return;
    }
    setBusy(true);
    setFailure(undefined);
    try {
      await confirmTypedKey(form);
      const body = { ...readForm(form), type: kind, amount_nano: String(nano), account_id: account.id };
      const { data } = await send('POST', '/ledger', { body });
      if (data.booked) {
        notify(`Booked credits of ${plain(account.name)}`);
        onClose();
      } else setFailure('This reference was booked before with the same content: nothing was changed.');
    } catch (error) {
      setFailure(messageOf(error));
    }
    setBusy(false);
  };
  return (
    <Dialog title={`Book credits of ${plain(account.name)}`} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <label class="label">
          Kind
          <select
            class="select"
            value={kind}
            onChange={({ currentTarget }) => {
              const chosen = kinds.find(([name]) => name === currentTarget.value);
              if (chosen !== undefined) setKind(chosen[0]);
            }}
          >
            {kinds.map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label class="label">
          Amount in USD
          <input
            class="field"
            required
            inputMode="decimal"
            autocomplete="off"
            placeholder="25"
            value={amount}
            onInput={({ currentTarget }) => setAmount(currentTarget.value)}
          />
        </label>
        <Details kind={kind} />
        <TypedKey />
        <p class="note" aria-live="polite">
          Balance <Money nano={balance} />
          {nano !== undefined && (
            <>
              , afterwards{' '}
              <Money nano={kind === 'refund' ? BigInt(balance) - nano : BigInt(balance) + nano} />
            </>
          )}
        </p>
        <DialogFoot action="Book" failure={failure} onCancel={onClose} isDisabled={isBusy} />
      </form>
    </Dialog>
  );
}

function Details({ kind }: { readonly kind: Kind }) {
  return (
    <>
      <label class="label">
        Reference
        <input
          class="field"
          name="ref"
          required
          maxLength={200}
          autocomplete="off"
          placeholder="invoice-17"
        />
        <span class="hint">Booking the same reference again changes nothing.</span>
      </label>
      {kind !== 'refund' && (
        <label class="label">
          Expires
          <select class="select" name="expires">
            <option value="">never</option>
            <option value="30">in 30 days</option>
            <option value="90">in 90 days</option>
            <option value="365">in a year</option>
          </select>
        </label>
      )}
      <label class="label">
        Note
        <input class="field" name="note" maxLength={500} autocomplete="off" />
      </label>
    </>
  );
}

function readForm(form: HTMLFormElement) {
  const data = new FormData(form);
  const text = (name: string) => String(data.get(name) ?? '').trim();
  const days = Number(text('expires'));
  return {
    ref: text('ref'),
    ...(text('note') === '' ? {} : { note: text('note') }),
    ...(days > 0 ? { expires_at: new Date(Date.now() + days * 86_400_000).toISOString() } : {}),
  };
}
