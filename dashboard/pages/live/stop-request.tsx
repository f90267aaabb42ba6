import { useState } from 'preact/hooks';
import type { LiveRequest } from '../../../clients/headgate-api.ts';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { notify } from '../../state/notice.ts';
import { plain } from '../../text/format.ts';

/** Asks before a running request is ended. */
export function StopRequest({ row, onClose }: { readonly row: LiveRequest; readonly onClose: () => void }) {
  const [failure, setFailure] = useState<string>();
  const stop = async () => {
    try {
      await send('POST', '/live/{id}/cancel', { params: { id: row.id } });
      notify(`Stopped the request to ${plain(row.model ?? row.requested_model)}`);
      onClose();
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <Dialog title={`Stop this request to ${plain(row.model ?? row.requested_model)}?`} onClose={onClose}>
      <p>
        Its client loses the connection, as if it had left by itself. What was used so far is charged, and the
        audit log names you.
      </p>
      <p>
        <code>{plain(row.id)}</code> on {plain(row.process)}
      </p>
      {failure !== undefined && (
        <p class="note bad" role="alert">
          {failure}
        </p>
      )}
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onClose}>
          Let it run
        </button>
        <button type="button" class="button primary" onClick={() => void stop()}>
          Stop it
        </button>
      </div>
    </Dialog>
  );
}
