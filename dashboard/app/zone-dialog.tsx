import { Dialog } from '../parts/dialog.tsx';
import { limitZone } from '../state/limit-calendar.ts';
import { prefer, preferences } from '../state/preferences.ts';

/** Chooses the zone that times are shown in. */
export function ZoneDialog({ onClose }: { readonly onClose: () => void }) {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC';
  return (
    <Dialog title="Time zone" onClose={onClose}>
      <label class="label">
        Times and days are shown in
        <select
          class="select"
          value={preferences.value.zone ?? ''}
          onChange={({ currentTarget }) => prefer({ zone: currentTarget.value || undefined })}
        >
          <option value="">The browser's zone ({own})</option>
          <option value="UTC">UTC</option>
          {Intl.supportedValuesOf('timeZone').map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <span class="hint">Limits and budgets follow days of {limitZone}.</span>
      </label>
      <div class="dialog-foot">
        <button type="button" class="button primary" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
