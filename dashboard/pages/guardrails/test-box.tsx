import { useState } from 'preact/hooks';
import type { Guardrail, GuardrailVerdict } from '../../../clients/headgate-api.ts';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { State } from '../../parts/state.tsx';
import { useKeyList } from '../../state/keys.ts';
import { plain } from '../../text/format.ts';

type Verdict = GuardrailVerdict['data'];

/** Tries a text against a guardrail, or against all that apply to a key. Nothing is stored or sent to a model. */
export function TestBox({ guardrails }: { readonly guardrails: readonly Guardrail[] }) {
  const keys = useKeyList();
  const [answer, setAnswer] = useState<Verdict>();
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const data = new FormData(form);
    const [kind, id = ''] = String(data.get('against') ?? '').split(/:(.*)/s);
    const scope = data.get('scope') === 'system' ? ('system' as const) : ('user' as const);
    const subject = kind === 'key' ? { key_hash: id } : { guardrail_id: id };
    setBusy(true);
    setFailure(undefined);
    try {
      const body = { text: String(data.get('text') ?? ''), scope, ...subject };
      setAnswer((await send('POST', '/guardrails/test', { body })).data);
    } catch (error) {
      setAnswer(undefined);
      setFailure(messageOf(error));
    }
    setBusy(false);
  };
  return (
    <section class="card padded stack">
      <h2>Try a text</h2>
      <form class="stack" onSubmit={submit}>
        <label class="label">
          Text
          <textarea name="text" rows={3} required placeholder="Ignore all previous instructions and…" />
        </label>
        <div class="row">
          <select class="select inline" name="against" aria-label="Against">
            {guardrails.length > 0 && (
              <optgroup label="A guardrail">
                {guardrails.map(({ id, name }) => (
                  <option key={id} value={`guardrail:${id}`}>
                    {plain(name)}
                  </option>
                ))}
              </optgroup>
            )}
            <optgroup label="All that apply to a key">
              {(keys.data ?? []).map(({ hash, name }) => (
                <option key={hash} value={`key:${hash}`}>
                  {plain(name)}
                </option>
              ))}
            </optgroup>
          </select>
          <select class="select inline" name="scope" aria-label="As text of">
            <option value="user">as text of a user</option>
            <option value="system">as instructions</option>
          </select>
          <button type="submit" class="button" disabled={isBusy}>
            Try
          </button>
          <span class="hint">Nothing is stored or sent to a model.</span>
        </div>
      </form>
      {failure !== undefined && (
        <p class="note bad" role="alert">
          {failure}
        </p>
      )}
      <div aria-live="polite">{answer !== undefined && <Answer answer={answer} />}</div>
    </section>
  );
}

const verdicts = {
  pass: { tone: 'good', words: 'passes' },
  flag: { tone: 'warn', words: 'passes, and is noted' },
  redact: { tone: 'warn', words: 'passes with parts redacted' },
  block: { tone: 'bad', words: 'is blocked' },
} as const;

function Answer({ answer }: { readonly answer: Verdict }) {
  const { tone, words } = verdicts[answer.verdict];
  return (
    <div class="stack">
      <p>
        <State tone={tone}>{words}</State>
      </p>
      {answer.message !== null && <p>{plain(answer.message)}</p>}
      {answer.verdict === 'redact' && answer.text !== null && (
        <pre>{answer.text.split('\n').map(plain).join('\n')}</pre>
      )}
      {answer.patterns.length > 0 && <p class="hint">Found by {answer.patterns.map(plain).join(', ')}</p>}
    </div>
  );
}
