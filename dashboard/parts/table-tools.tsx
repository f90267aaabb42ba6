import { useId, useRef, useState } from 'preact/hooks';
import { prefer, preferences } from '../state/preferences.ts';
import { type Column, isShown, toggleColumn } from '../state/table-choices.ts';
import { Icon } from './icon.tsx';
import { placeBelow } from './place-below.ts';
import { SavedViews } from './saved-views.tsx';

interface TableToolsProps {
  /** The name of the list, which choices are kept under. */
  readonly list: string;
  readonly columns: readonly Column[];
  /** The page it is on, where that has another name. */
  readonly page?: string;
  /** Whether the choices of the page can be saved as views. */
  readonly hasViews?: boolean;
}

/** What a person may change about a table: its columns, and views that bring choices back. */
export function TableTools({ list, columns, page = list, hasViews = false }: TableToolsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {hasViews && (
        <button type="button" class="button" onClick={() => setOpen(true)}>
          Views
        </button>
      )}
      <ColumnChooser list={list} columns={columns} />
      {isOpen && <SavedViews list={list} page={page} onClose={() => setOpen(false)} />}
    </>
  );
}

function ColumnChooser({ list, columns }: Pick<TableToolsProps, 'list' | 'columns'>) {
  const id = useId();
  const anchor = useRef<HTMLButtonElement>(null);
  const popover = useRef<HTMLFieldSetElement>(null);
  // Labels of columns are not there while the menu is closed: other fields may have the same.
  const [isOpen, setOpen] = useState(false);
  const onToggle = ({ newState }: { readonly newState: string }) => {
    if (newState !== 'open' || anchor.current === null || popover.current === null) return;
    placeBelow(anchor.current, popover.current);
    popover.current.querySelector('input')?.focus();
  };
  return (
    <>
      <button ref={anchor} type="button" class="button columns-button" popovertarget={id}>
        <Icon name="settings" /> Columns
      </button>
      <fieldset
        ref={popover}
        id={id}
        popover="auto"
        class="menu"
        aria-label="Columns"
        onBeforeToggle={({ newState }) => setOpen(newState === 'open')}
        onToggle={onToggle}
      >
        {(isOpen ? columns : [])
          .filter(({ isFixed }) => isFixed !== true)
          .map((column) => (
            <label key={column.name} class="row check">
              <input
                type="checkbox"
                checked={isShown(list, column)}
                onChange={() => toggleColumn(list, column.name)}
              />
              {column.name}
            </label>
          ))}
        {isOpen && (
          <label class="row check">
            <input
              type="checkbox"
              checked={preferences.value.density === 'compact'}
              onChange={({ currentTarget }) =>
                prefer({ density: currentTarget.checked ? 'compact' : 'comfortable' })
              }
            />
            Compact rows, in all lists
          </label>
        )}
      </fieldset>
    </>
  );
}
