import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { mayChange } from '../../api/session-state.ts';
import { Failed, Loading } from '../../parts/state.tsx';
import { plain } from '../../text/format.ts';
import { usePhrases } from './queries.ts';

/** Phrases that no guardrail of the account takes for prompt injection. */
export function AllowedPhrases() {
  const found = usePhrases();
  const [failure, setFailure] = useState<string>();
  const change = async (work: () => Promise<unknown>): Promise<boolean> => {
    setFailure(undefined);
    try {
      await work();
      found.reload();
      return true;
    } catch (error) {
      setFailure(messageOf(error));
      return false;
    }
  };
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const phrase = String(new FormData(form).get('phrase') ?? '').trim();
    if (await change(() => send('POST', '/guardrails/allowlist', { body: { phrase } }))) form.reset();
  };
  return (
    <section class="card padded stack">
      <h2>Allowed phrases</h2>
      <p class="muted">
        They look like prompt injection and are let through, by all guardrails of the account.
      </p>
      {found.error !== undefined && found.data === undefined ? (
        <Failed error={found.error} retry={found.reload} />
      ) : found.data === undefined ? (
        <Loading />
      ) : (
        found.data.length > 0 && (
          <ul class="plain-list">
            {found.data.map(({ id, phrase }) => (
              <li key={id} class="row assigned">
                <span class="cut" title={plain(phrase)}>
                  {plain(phrase)}
                </span>
                <span class="gap" />
                {mayChange('guardrails') && (
                  <button
                    type="button"
                    class="button small"
                    aria-label={`Remove ${plain(phrase)}`}
                    onClick={() =>
                      void change(() => send('DELETE', '/guardrails/allowlist', { query: { id } }))
                    }
                  >
                    Remove
                  </button>
                )}
              </li>
            ))}
          </ul>
        )
      )}
      {mayChange('guardrails') && (
        <form class="row" onSubmit={submit}>
          <input
            class="field phrase-field"
            name="phrase"
            required
            autocomplete="off"
            aria-label="Phrase"
            placeholder="ignore the previous paragraph"
          />
          <button type="submit" class="button">
            Add
          </button>
        </form>
      )}
      {failure !== undefined && (
        <p class="note bad" role="alert">
          {failure}
        </p>
      )}
    </section>
  );
}
