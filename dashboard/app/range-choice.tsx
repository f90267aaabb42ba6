import { useState } from 'preact/hooks';
import { Dialog } from '../parts/dialog.tsx';
import { zone } from '../state/preferences.ts';
import { chosenRange, ranges } from '../state/range.ts';
import { choose } from '../state/url.ts';
import { clock, localMinute, momentOf, span } from '../text/time.ts';

/** Chooses the range of time of all pages. */
export function RangeChoice() {
  const [isOpen, setOpen] = useState(false);
  const range = chosenRange();
  const whole = `${clock(range.from, zone())} – ${clock(range.to, zone())}`;
  return (
    <>
      <select
        class="select"
        data-range
        aria-label="Range of time"
        title={whole}
        value={range.name}
        onChange={({ currentTarget }) => {
          const { value } = currentTarget;
          if (value === 'edit') {
            currentTarget.value = range.name;
            setOpen(true);
          } else if (value !== 'custom') choose({ range: value, from: undefined, to: undefined });
        }}
      >
        {Object.entries(ranges).map(([name, { label }]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
        {range.name === 'custom' && <option value="custom">{span(range.from, range.to, zone())}</option>}
        <option value="edit">Custom…</option>
      </select>
      {isOpen && <CustomRange from={range.from} to={range.to} onClose={() => setOpen(false)} />}
    </>
  );
}

function CustomRange({
  from,
  to,
  onClose,
}: {
  readonly from: string;
  readonly to: string;
  readonly onClose: () => void;
}) {
  const [failure, setFailure] = useState<string>();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const data = new FormData(form);
    const [start, end] = ['from', 'to'].map((name) => momentOf(String(data.get(name)), zone()));
    if (start === undefined || end === undefined || !(start < end))
      return setFailure('The end must lie after the beginning.');
    choose({ from: new Date(start).toISOString(), to: new Date(end).toISOString(), range: undefined });
    onClose();
  };
  return (
    <Dialog title="Custom range" onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <label class="label">
          From
          <input
            class="field"
            type="datetime-local"
            name="from"
            required
            defaultValue={localMinute(from, zone())}
          />
        </label>
        <label class="label">
          To
          <input
            class="field"
            type="datetime-local"
            name="to"
            required
            defaultValue={localMinute(to, zone())}
          />
        </label>
        <p class="hint">Times of {zone()}.</p>
        {failure !== undefined && (
          <p class="note bad" role="alert">
            {failure}
          </p>
        )}
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary">
            Show
          </button>
        </div>
      </form>
    </Dialog>
  );
}
