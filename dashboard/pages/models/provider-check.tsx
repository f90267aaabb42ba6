import { useState } from 'preact/hooks';
import type { ProviderCheck as CheckAnswer } from '../../../clients/headgate-api.ts';
import { get, send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { mayChange, principal } from '../../api/session-state.ts';
import { State } from '../../parts/state.tsx';
import { useQuery } from '../../state/query.ts';
import { href } from '../../state/url.ts';
import { many, plain } from '../../text/format.ts';

type Verdict = CheckAnswer['data'];

/** How providers are reached, by slug; nothing for others than operators. */
export function useConnections() {
  const isOperator = principal.value?.role === 'operator';
  const found = useQuery(
    ['provider-connections'],
    async (signal) => (await get('/providers/connections', { signal })).data,
    { enabled: isOperator },
  );
  return new Map((isOperator ? (found.data ?? []) : []).map((one) => [one.slug, one]));
}

export type Connection = ReturnType<typeof useConnections> extends Map<string, infer Value> ? Value : never;

/** How a provider is reached, and a button that asks it for its models. */
export function ProviderCheck({
  connection,
  name,
}: {
  readonly connection: Connection;
  readonly name: string;
}) {
  const { slug, adapter, base_host: host, credentials } = connection;
  const [verdict, setVerdict] = useState<Verdict>();
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const check = async () => {
    setBusy(true);
    setFailure(undefined);
    setVerdict(undefined);
    try {
      setVerdict((await send('POST', '/providers/{slug}/check', { params: { slug } })).data);
    } catch (error) {
      setFailure(messageOf(error));
    }
    setBusy(false);
  };
  return (
    <div class="provider-check">
      <span class="hint">
        Adapter {plain(adapter)}
        {host !== null && `, at ${plain(host)}`}
        {host !== null && `, ${credentials === 0 ? 'no shared credential' : many(credentials, 'credential')}`}
      </span>
      {mayChange('installation') && connection.can_be_checked && (
        <button
          type="button"
          class="button small"
          aria-label={`Check ${name}`}
          disabled={isBusy}
          onClick={() => void check()}
        >
          {isBusy ? 'Asking…' : 'Check'}
        </button>
      )}
      <div class="provider-verdict" role="status">
        {verdict !== undefined && <Answer verdict={verdict} />}
        {failure !== undefined && <span class="bad">{failure}</span>}
      </div>
    </div>
  );
}

/** Names of models that are shown. */
const mostShown = 5;

function Answer({ verdict }: { readonly verdict: Verdict }) {
  const { ok, detail, credential, unlisted } = verdict;
  const more = unlisted.length - mostShown;
  return (
    <>
      <State tone={!ok ? 'bad' : unlisted.length > 0 ? 'warn' : 'good'}>
        {ok ? 'Answered' : credential === 'refused' ? 'Credential refused' : 'No model list'}
      </State>
      <span>
        It {detail}
        {!ok ? '.' : unlisted.length === 0 ? ', among them all that are served here.' : '. It does not list:'}
      </span>
      {unlisted.length > 0 && (
        <ul>
          {unlisted.slice(0, mostShown).map(({ model, upstream_model: upstream }) => (
            <li key={`${model} ${upstream}`}>
              <a href={href(`models/${model}`)}>{plain(model)}</a>
              <span class="hint"> as {plain(upstream)}</span>
            </li>
          ))}
          {more > 0 && <li class="hint">and {many(more, 'more', 'more')}</li>}
        </ul>
      )}
    </>
  );
}
