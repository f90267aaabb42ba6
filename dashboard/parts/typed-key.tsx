import { confirmKey } from '../api/session.ts';
import { principal } from '../api/session-state.ts';

/** Whether the key must be typed again before something that only a person may do. */
export function needsTypedKey(): boolean {
  const until = principal.value?.typed_until ?? null;
  // Half a minute for the form itself.
  return until === null || Date.parse(until) - Date.now() < 30_000;
}

/** A field for the key, where it was not typed lately. */
export function TypedKey() {
  if (!needsTypedKey()) return null;
  return (
    <label class="label">
      Your management key
      <input class="field" name="typed_key" type="password" required autocomplete="current-password" />
      <span class="hint">Asked for every 30 minutes before money or provider credentials change.</span>
    </label>
  );
}

/** Sends the key of a form that has the field. @throws CallFailure for another key than the one that acts. */
export async function confirmTypedKey(form: HTMLFormElement): Promise<void> {
  const typed = new FormData(form).get('typed_key');
  if (typeof typed === 'string' && typed !== '') await confirmKey(typed);
}
