import { useState } from 'preact/hooks';
import type { Destination, DestinationType, UpdateDestination } from '../../../clients/headgate-api.ts';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { DeleteDialog } from '../../parts/delete-dialog.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogFoot } from '../../parts/dialog-foot.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import { confirmTypedKey, TypedKey } from '../../parts/typed-key.tsx';
import { notify } from '../../state/notice.ts';
import { plain } from '../../text/format.ts';
import { DestinationForm } from './destination-form.tsx';

interface DestinationMenuProps {
  readonly destination: Destination;
  readonly types: readonly DestinationType[];
  readonly onChange: () => void;
}

/** What can be done to a destination. */
export function DestinationMenu({ destination, types, onChange }: DestinationMenuProps) {
  const [open, setOpen] = useState<'edit' | 'test' | 'switch' | 'delete'>();
  const { id, enabled } = destination;
  const name = plain(destination.name);
  const close = () => setOpen(undefined);
  const done = (text: string) => {
    close();
    notify(text);
    onChange();
  };
  return (
    <>
      <Menu label={`Actions for ${name}`} button={<Icon name="more" />}>
        <button type="button" onClick={() => setOpen('test')}>
          Test…
        </button>
        <button type="button" onClick={() => setOpen('edit')}>
          Edit…
        </button>
        <button type="button" onClick={() => setOpen('switch')}>
          {enabled ? 'Switch off…' : 'Switch on…'}
        </button>
        <button type="button" class="danger" onClick={() => setOpen('delete')}>
          Delete…
        </button>
      </Menu>
      {open === 'edit' && (
        <DestinationForm
          types={types}
          destination={destination}
          onClose={close}
          onDone={() => done(`${name} is changed.`)}
        />
      )}
      {open === 'test' && (
        <ChangeDialog
          title={`Test ${name}`}
          text="Sends an empty export to it, as before it was stored."
          action="Test"
          // Its config as it is: that is tested again.
          change={{ config: {} }}
          id={id}
          onClose={close}
          onDone={() => done(`${name} took the test.`)}
        />
      )}
      {open === 'switch' && (
        <ChangeDialog
          title={`${enabled ? 'Switch off' : 'Switch on'} ${name}`}
          text={
            enabled
              ? 'Nothing is sent to it until it is switched on again. What happens meanwhile is not sent later.'
              : 'It is tested first.'
          }
          action={enabled ? 'Switch off' : 'Switch on'}
          change={{ enabled: !enabled }}
          id={id}
          onClose={close}
          onDone={() => done(`${name} is ${enabled ? 'off' : 'on'}.`)}
        />
      )}
      {open === 'delete' && (
        <DeleteDialog
          title={`Delete ${name}?`}
          name={name}
          onClose={close}
          onConfirm={async () => {
            await send('DELETE', '/observability/destinations/{id}', { params: { id } });
            done(`${name} is deleted.`);
          }}
        >
          Its config with its secrets is erased, and what waits for it is dropped.
        </DeleteDialog>
      )}
    </>
  );
}

interface ChangeDialogProps {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly change: UpdateDestination;
  readonly id: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Asks before one change, and shows why it failed. */
function ChangeDialog({ title, text, action, change, id, onClose, onDone }: ChangeDialogProps) {
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    setBusy(true);
    setFailure(undefined);
    try {
      await confirmTypedKey(form);
      await send('PATCH', '/observability/destinations/{id}', { params: { id }, body: change });
      onDone();
    } catch (error) {
      setFailure(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <p>{text}</p>
        <TypedKey />
        <DialogFoot
          action={isBusy ? 'Asking…' : action}
          failure={failure}
          onCancel={onClose}
          isDisabled={isBusy}
        />
      </form>
    </Dialog>
  );
}
