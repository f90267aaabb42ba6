import { useRef, useState } from 'preact/hooks';
import { messageOf } from '../api/errors.ts';
import { addPrincipal, logOut } from '../api/session.ts';
import { principal, session } from '../api/session-state.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { type Preferences, prefer, preferences } from '../state/preferences.ts';
import { queries } from '../state/query.ts';
import { choose } from '../state/url.ts';
import { plain } from '../text/format.ts';
import { ZoneDialog } from './zone-dialog.tsx';

const roles = { key: 'API key', manager: 'Manager', operator: 'Operator' } as const;
const themes: readonly Preferences['theme'][] = ['system', 'light', 'dark'];

/** Who acts, what they prefer, and the way out. */
export function AccountMenu() {
  const [open, setOpen] = useState<'add' | 'zone'>();
  const mine = principal.value;
  const others = session.value?.principals.filter(({ n }) => n !== mine?.n) ?? [];
  const { theme, exact } = preferences.value;
  return (
    <>
      <Menu label="Account" button={<Icon name="user" />} buttonClass="button plain">
        <p class="menu-head">
          <strong>{plain(mine?.account.name ?? '')}</strong>
          <br />
          <span class="hint">
            {roles[mine?.role ?? 'key']} · {plain(mine?.name ?? '')}
          </span>
        </p>
        {others.map((one) => (
          <button
            key={one.n}
            type="button"
            onClick={() => {
              queries.clear();
              choose({ as: String(one.n), workspace: undefined });
            }}
          >
            Act as {plain(one.name)} ({plain(one.account.name)})
          </button>
        ))}
        <button type="button" onClick={() => setOpen('add')}>
          Add account or key…
        </button>
        <hr />
        {themes.map((one) => (
          <button key={one} type="button" onClick={() => prefer({ theme: one })}>
            {theme === one ? '✓ ' : ''}
            {one === 'system' ? 'Theme of the system' : one === 'light' ? 'Light theme' : 'Dark theme'}
          </button>
        ))}
        <button type="button" onClick={() => prefer({ exact: !exact })}>
          {exact ? '✓ ' : ''}Exact amounts
        </button>
        <button type="button" onClick={() => setOpen('zone')}>
          Time zone…
        </button>
        <hr />
        <button type="button" onClick={() => void logOut()}>
          Log out
        </button>
        <button type="button" onClick={() => void logOut(true)}>
          Log out everywhere
        </button>
      </Menu>
      {open === 'add' && <AddKey onClose={() => setOpen(undefined)} />}
      {open === 'zone' && <ZoneDialog onClose={() => setOpen(undefined)} />}
    </>
  );
}

function AddKey({ onClose }: { readonly onClose: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const [failure, setFailure] = useState<string>();
  const submit = async (event: Event) => {
    event.preventDefault();
    try {
      await addPrincipal(field.current?.value ?? '');
      const last = session.value?.principals.at(-1);
      queries.clear();
      if (last !== undefined) choose({ as: String(last.n), workspace: undefined });
      onClose();
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <Dialog title="Add account or key" onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <label class="label">
          Another management or API key
          <input ref={field} class="field" type="password" autocomplete="off" required />
        </label>
        {failure !== undefined && (
          <p class="note bad" role="alert">
            {failure}
          </p>
        )}
        <div class="dialog-foot">
          <button type="submit" class="button primary">
            Add
          </button>
        </div>
      </form>
    </Dialog>
  );
}
