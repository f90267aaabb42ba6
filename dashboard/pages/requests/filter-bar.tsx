import { useId, useRef, useState } from 'preact/hooks';
import { principal } from '../../api/session-state.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useKeyList } from '../../state/keys.ts';
import { choose } from '../../state/url.ts';
import { plain, usd } from '../../text/format.ts';
import { type FilterField, filterFields, readFilterValue } from './filters.ts';
import { ownWorkspaces, useSuggestions } from './suggestions.ts';

/** Filters whose values are words of the interface. */
const worded = ['outcome', 'error'];

/** What the list is filtered by, and a way to change it. All of it is in the address. */
export function FilterBar({ filters }: { readonly filters: Readonly<Record<string, string>> }) {
  const [isOpen, setOpen] = useState(false);
  const keys = useKeyList();
  const names = new Map([
    ...(keys.data ?? []).map(({ hash, name }) => [hash, name] as const),
    ...ownWorkspaces(),
  ]);
  const clear = Object.fromEntries(filterFields.map(({ name }) => [name, undefined]));
  return (
    <div class="row" role="group" aria-label="Filters">
      <button type="button" class="button small" onClick={() => setOpen(true)}>
        <Icon name="plus" /> Filter
      </button>
      {Object.entries(filters).map(([name, value]) => {
        const field = filterFields.find((one) => one.name === name);
        const text =
          name === 'key' || name === 'workspace'
            ? (names.get(value) ?? value.slice(0, 8))
            : field?.type === 'usd'
              ? usd(value)
              : worded.includes(name)
                ? value.replaceAll('_', ' ')
                : value;
        return (
          <span key={name} class="chip">
            <span class="cut">
              <span class="muted">{field?.label ?? name}</span> {plain(text)}
            </span>
            <button
              type="button"
              aria-label={`Remove filter ${field?.label ?? name}`}
              onClick={() => choose({ [name]: undefined })}
            >
              <Icon name="close" />
            </button>
          </span>
        );
      })}
      {Object.keys(filters).length > 1 && (
        <button type="button" class="button plain small" onClick={() => choose(clear)}>
          Clear all
        </button>
      )}
      {isOpen && <AddFilter onClose={() => setOpen(false)} />}
    </div>
  );
}

const wanted = {
  text: 'Enter a value.',
  number: 'Enter a number of 0 or more.',
  usd: 'Enter a number of 0 or more.',
  status: 'Enter an HTTP status such as 429.',
};

function AddFilter({ onClose }: { readonly onClose: () => void }) {
  const isManager = principal.value?.role !== 'key';
  const offered = filterFields
    .filter(({ isForManagers }) => isManager || isForManagers !== true)
    .filter(({ list }) => list !== 'workspaces' || ownWorkspaces().length > 1);
  const [name, setName] = useState('outcome');
  const [failure, setFailure] = useState<string>();
  const value = useRef<HTMLInputElement & HTMLSelectElement>(null);
  const field = offered.find((one) => one.name === name) ?? (offered[0] as FilterField);
  const submit = (event: Event) => {
    event.preventDefault();
    const read = readFilterValue(field, value.current?.value ?? '');
    if (read === undefined) return setFailure(wanted[field.type ?? 'text']);
    choose({ [field.name]: read });
    onClose();
  };
  return (
    <Dialog title="Add a filter" onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <label class="label">
          Field
          <select class="select" value={name} onChange={({ currentTarget }) => setName(currentTarget.value)}>
            {offered.map((one) => (
              <option key={one.name} value={one.name}>
                {one.label}
              </option>
            ))}
          </select>
        </label>
        <FilterValue key={name} field={field} input={value} />
        {failure !== undefined && (
          <p class="note bad" role="alert">
            {failure}
          </p>
        )}
        <div class="dialog-foot">
          <button type="submit" class="button primary">
            Add filter
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface FilterValueProps {
  readonly field: FilterField;
  readonly input: { current: (HTMLInputElement & HTMLSelectElement) | null };
}

function FilterValue({ field, input }: FilterValueProps) {
  const id = useId();
  const { type, hint } = field;
  const { values, isWhole } = useSuggestions(field);
  return (
    <label class="label">
      Value
      {isWhole ? (
        <select class="select" ref={input}>
          {values.map(([value, label]) => (
            <option key={value} value={value}>
              {plain(label)}
            </option>
          ))}
        </select>
      ) : (
        <input
          ref={input}
          class="field"
          list={id}
          inputMode={type === undefined ? 'text' : 'decimal'}
          autocomplete="off"
        />
      )}
      <datalist id={id}>{!isWhole && values.map(([value]) => <option key={value} value={value} />)}</datalist>
      {hint !== undefined && <span class="hint">{hint}</span>}
    </label>
  );
}
