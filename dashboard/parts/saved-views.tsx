import { mostViews, removeView, saveView, showColumnsOf, viewsOf } from '../state/table-choices.ts';
import { go, href, params } from '../state/url.ts';
import { plain } from '../text/format.ts';
import { Dialog } from './dialog.tsx';
import { Icon } from './icon.tsx';

interface SavedViewsProps {
  readonly list: string;
  /** The page that the list is on. */
  readonly page: string;
  readonly onClose: () => void;
}

/** Views of a page: range, filters and columns under a name. They stay in this browser. */
export function SavedViews({ list, page, onClose }: SavedViewsProps) {
  const views = viewsOf(list);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const name = String(new FormData(form).get('name')).trim();
    if (name === '') return;
    saveView(list, name, params.value);
    onClose();
  };
  return (
    <Dialog title="Saved views" onClose={onClose}>
      <div class="stack">
        {views.length === 0 && <p class="muted">None yet. A view keeps range, filters and columns.</p>}
        <ul class="plain-list">
          {views.map((view) => (
            <li key={view.name} class="row saved-view">
              <button
                type="button"
                class="button plain cut"
                onClick={() => {
                  showColumnsOf(list, view);
                  go(addressOf(page, view.query));
                  onClose();
                }}
              >
                {plain(view.name)}
              </button>
              <span class="gap" />
              <button
                type="button"
                class="button plain small"
                aria-label={`Remove ${plain(view.name)}`}
                onClick={() => removeView(list, view.name)}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
        <form class="row" onSubmit={submit}>
          <label class="label view-name">
            Save what is shown now as
            <input
              class="field"
              name="name"
              required
              maxLength={60}
              autocomplete="off"
              placeholder="Failures of this week"
            />
          </label>
          <button type="submit" class="button primary">
            Save
          </button>
        </form>
        <p class="hint">
          Views stay in this browser, {mostViews} at most. A view of the same name is replaced.
        </p>
      </div>
    </Dialog>
  );
}

/** The address of a view: its own choices, none of those of now but who acts. */
function addressOf(page: string, query: string): string {
  const choices: Record<string, string | undefined> = {};
  for (const name of ['range', 'from', 'to', 'workspace', 'compare']) choices[name] = undefined;
  for (const [name, value] of new URLSearchParams(query)) choices[name] = value;
  return href(page, choices);
}
