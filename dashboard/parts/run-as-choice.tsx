import { messageOf } from '../api/errors.ts';
import type { RunAs } from '../state/run-as.ts';
import { href } from '../state/url.ts';
import { plain } from '../text/format.ts';

/** Chooses the key that something runs as. Nothing for key holders. */
export function RunAsChoice({ runAs }: { readonly runAs: RunAs }) {
  if (runAs.isMissing) {
    return (
      <p class="note warn">
        Requests run as one of your API keys, and there is none. <a href={href('keys')}>Create one</a> first.
      </p>
    );
  }
  if (runAs.error !== undefined) {
    return (
      <p class="note bad row" role="alert">
        <span>Your API keys could not be loaded: {plain(messageOf(runAs.error))}</span>
        <button type="button" class="button small" onClick={runAs.retry}>
          Try again
        </button>
      </p>
    );
  }
  if (runAs.hash === undefined) return null;
  return (
    <label class="row run-as">
      <span class="hint">As key</span>
      <select
        class="select"
        value={runAs.hash}
        onChange={({ currentTarget }) => runAs.choose(currentTarget.value)}
      >
        {runAs.choices.map(({ hash, name }) => (
          <option key={hash} value={hash}>
            {plain(name)}
          </option>
        ))}
      </select>
    </label>
  );
}
