import { Icon } from '../../parts/icon.tsx';
import { plain, shown } from '../../text/format.ts';
import type { Results, ToolCall } from './thread.ts';

interface ToolResultsProps {
  readonly calls: readonly ToolCall[];
  /** What they were answered with, once they were. */
  readonly results: Results | undefined;
  readonly onSend?: (results: Results) => void;
}

/** The calls of an answer, and fields for their results. */
export function ToolResults({ calls, results, onSend }: ToolResultsProps) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const data = new FormData(form);
    onSend?.(Object.fromEntries(calls.map(({ id }) => [id, String(data.get(id) ?? '')])));
  };
  return (
    <form class="stack" onSubmit={submit}>
      {calls.map(({ id, name, input }) => (
        <section key={id} class="tool-call" aria-label={`Call of ${plain(name)}`}>
          <p>
            <span class="muted">calls</span> <strong class="mono">{plain(name)}</strong>
          </p>
          <pre>{shown(input)}</pre>
          {results !== undefined ? (
            <>
              <p class="muted">answered with</p>
              <pre>{shown(results[id] ?? '')}</pre>
            </>
          ) : (
            onSend !== undefined && (
              <label class="label">
                Result of {plain(name)}
                <textarea
                  name={id}
                  class="mono"
                  rows={2}
                  spellcheck={false}
                  placeholder="What the function returns"
                />
              </label>
            )
          )}
        </section>
      ))}
      {results === undefined && onSend !== undefined && (
        <div class="row">
          <button type="submit" class="button small">
            <Icon name="send" /> {calls.length === 1 ? 'Send the result' : 'Send the results'}
          </button>
        </div>
      )}
    </form>
  );
}
