import { useState } from 'preact/hooks';
import type { Key } from '../../../clients/headgate-api.ts';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { mayChange } from '../../api/session-state.ts';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import { notify } from '../../state/notice.ts';
import { choice, choose, href } from '../../state/url.ts';
import { plain } from '../../text/format.ts';
import { DeleteKey } from './delete-key.tsx';
import { DisableKey } from './disable-key.tsx';
import { EditKey } from './edit-key.tsx';
import { RotateKey } from './rotate-key.tsx';

interface KeyMenuProps {
  readonly value: Key;
  readonly onChange: () => void;
  readonly onDelete?: () => void;
  /** Whether what is done most stands beside the menu. */
  readonly isWide?: boolean;
}

/** What can be done to a key. */
export function KeyMenu({ value, onChange, onDelete, isWide = false }: KeyMenuProps) {
  const [chosen, setOpen] = useState<'edit' | 'rotate' | 'disable' | 'delete'>();
  const asked = isWide && mayChange('keys') ? choice('do') : undefined;
  const open = chosen ?? (asked === 'edit' || asked === 'rotate' ? asked : undefined);
  const [failure, setFailure] = useState<string>();
  const close = () => {
    setOpen(undefined);
    if (asked !== undefined) choose({ do: undefined }, { replace: true });
    onChange();
  };
  const enable = async () => {
    try {
      await send('PATCH', '/keys/{hash}', { params: { hash: value.hash }, body: { disabled: false } });
      notify(`Enabled ${plain(value.name)}`);
      onChange();
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  const changes = (kind: string) => (
    <>
      <button type="button" class={kind} onClick={() => setOpen('edit')}>
        Edit…
      </button>
      <button type="button" class={kind} onClick={() => setOpen('rotate')}>
        Rotate…
      </button>
    </>
  );
  return (
    <>
      {failure !== undefined && (
        <span class="bad" role="alert">
          {failure}
        </span>
      )}
      {isWide && mayChange('keys') && changes('button')}
      <Menu label={`Actions for ${plain(value.name)}`} button={<Icon name="more" />}>
        <a href={href('requests', { key: value.hash })}>Its requests</a>
        {mayChange('keys') && (
          <>
            {!isWide && changes('')}
            {value.disabled ? (
              <button type="button" onClick={() => void enable()}>
                Enable
              </button>
            ) : (
              <button type="button" onClick={() => setOpen('disable')}>
                Disable…
              </button>
            )}
            <button type="button" class="danger" onClick={() => setOpen('delete')}>
              Delete…
            </button>
          </>
        )}
      </Menu>
      {open === 'edit' && <EditKey value={value} onClose={close} />}
      {open === 'rotate' && <RotateKey value={value} onClose={close} />}
      {open === 'disable' && <DisableKey value={value} onClose={close} />}
      {open === 'delete' && (
        <DeleteKey
          value={value}
          onClose={() => setOpen(undefined)}
          onDelete={() => {
            setOpen(undefined);
            (onDelete ?? onChange)();
          }}
        />
      )}
    </>
  );
}
