import { useState } from 'preact/hooks';
import type { Key } from '../../../clients/headgate-api.ts';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogFoot } from '../../parts/dialog-foot.tsx';
import { notify } from '../../state/notice.ts';
import type { TimeRange } from '../../state/range.ts';
import { useSeries } from '../../state/usage.ts';
import { many, plain } from '../../text/format.ts';

/** Asks before a key is disabled, and says what used it lately. */
export function DisableKey({ value, onClose }: { readonly value: Key; readonly onClose: () => void }) {
  const [failure, setFailure] = useState<string>();
  const used = useSeries({ key: value.hash, bucket: 'all', group: 'model', top: 3 }, lastDay);
  const disable = async () => {
    try {
      await send('PATCH', '/keys/{hash}', { params: { hash: value.hash }, body: { disabled: true } });
      notify(`Disabled ${plain(value.name)}`);
      onClose();
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  const requests = used.data?.total.totals.requests;
  const models = (used.data?.groups ?? []).flatMap(({ value: id, label }) =>
    id === null || id === '' ? [] : [plain(label)],
  );
  return (
    <Dialog title={`Disable "${plain(value.name)}"?`} onClose={onClose}>
      <p>
        New requests with it are refused, within seconds everywhere. Running ones go on. You can enable it
        again at any time.{' '}
        {requests === undefined
          ? ''
          : requests === 0
            ? 'It was not used in the last 24 hours.'
            : `It made ${many(requests, 'request')} in the last 24 hours, to ${models.join(', ')}.`}
      </p>
      <DialogFoot action="Disable" failure={failure} onCancel={onClose} onAct={() => void disable()} />
    </Dialog>
  );
}

function lastDay(): TimeRange {
  const end = Math.ceil(Date.now() / 60_000) * 60_000;
  return {
    name: '24h',
    label: '',
    from: new Date(end - 86_400_000).toISOString(),
    to: new Date(end).toISOString(),
  };
}
