import { Dialog } from '../parts/dialog.tsx';
import { prefer, preferences } from '../state/preferences.ts';
import { shortcuts } from './keyboard.ts';
import { pages } from './pages.ts';

/** What the keyboard can do. */
export function Help({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <dl class="facts">
        {shortcuts.map(([key, does]) => (
          <Entry key={key} name={key} does={does} />
        ))}
        {pages.map(({ key, title }) => (
          <Entry key={key} name={`g ${key}`} does={title} />
        ))}
      </dl>
      <label class="row">
        <input
          type="checkbox"
          checked={preferences.value.shortcuts}
          onChange={({ currentTarget }) => prefer({ shortcuts: currentTarget.checked })}
        />
        Single keys work as shortcuts
      </label>
    </Dialog>
  );
}

function Entry({ name, does }: { readonly name: string; readonly does: string }) {
  return (
    <>
      <dt>
        {name.split(' ').map((part) => (
          <>
            <kbd key={part}>{part}</kbd>{' '}
          </>
        ))}
      </dt>
      <dd>{does}</dd>
    </>
  );
}
