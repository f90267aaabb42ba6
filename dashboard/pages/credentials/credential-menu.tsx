import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogFoot } from '../../parts/dialog-foot.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import { EditCredential } from './edit-credential.tsx';
import type { Credential } from './flags.ts';
import { ReplaceSecret } from './replace-secret.tsx';
import { TestCredential } from './test-credential.tsx';

interface CredentialMenuProps {
  readonly credential: Credential;
  readonly name: string;
  readonly above: Credential | undefined;
  readonly below: Credential | undefined;
  readonly onChange: () => void;
  /** Does something and shows its failure. */
  readonly attempt: (work: () => Promise<unknown>) => Promise<void>;
}

const change = (id: string, body: { disabled?: boolean; sort_order?: number }) =>
  send('PATCH', '/byok/{id}', { params: { id }, body });

/** What can be done to a credential. */
export function CredentialMenu(props: CredentialMenuProps) {
  const { credential, name, above, below, onChange, attempt } = props;
  const [open, setOpen] = useState<'test' | 'edit' | 'replace' | 'delete'>();
  const close = () => {
    setOpen(undefined);
    onChange();
  };
  const swap = (other: Credential) =>
    attempt(async () => {
      await change(credential.id, { sort_order: other.sort_order });
      await change(other.id, { sort_order: credential.sort_order });
    });
  const { disabled, id } = credential;
  return (
    <>
      <Menu label={`Actions for ${name}`} button={<Icon name="more" />}>
        {!disabled && <Item name="Test…" onClick={() => setOpen('test')} />}
        <Item name="Edit…" onClick={() => setOpen('edit')} />
        <Item name="Replace the secret…" onClick={() => setOpen('replace')} />
        {above !== undefined && <Item name="Try earlier" onClick={() => void swap(above)} />}
        {below !== undefined && <Item name="Try later" onClick={() => void swap(below)} />}
        <Item
          name={disabled ? 'Enable' : 'Disable'}
          onClick={() => void attempt(() => change(id, { disabled: !disabled }))}
        />
        <Item name="Delete…" kind="danger" onClick={() => setOpen('delete')} />
      </Menu>
      {open === 'test' && <TestCredential value={credential} name={name} onClose={close} />}
      {open === 'edit' && <EditCredential value={credential} onClose={close} />}
      {open === 'replace' && <ReplaceSecret value={credential} name={name} onClose={close} />}
      {open === 'delete' && (
        <Dialog title={`Delete "${name}"?`} onClose={() => setOpen(undefined)}>
          <p>The stored secret is erased. This cannot be undone; to pause it, disable it instead.</p>
          <DialogFoot
            action="Delete for good"
            failure={undefined}
            isDanger
            onCancel={() => setOpen(undefined)}
            onAct={() => {
              setOpen(undefined);
              void attempt(() => send('DELETE', '/byok/{id}', { params: { id } }));
            }}
          />
        </Dialog>
      )}
    </>
  );
}

interface ItemProps {
  readonly name: string;
  readonly kind?: string;
  readonly onClick: () => void;
}

function Item({ name, kind, onClick }: ItemProps) {
  return (
    <button type="button" {...(kind === undefined ? {} : { class: kind })} onClick={onClick}>
      {name}
    </button>
  );
}
