import { Copy } from '../../parts/copy.tsx';
import { count, many, plain, tokenPrice } from '../../text/format.ts';
import { placeOf, reasonOf } from '../../text/reasons.ts';
import type { Detailed } from './detail.tsx';
import { playgroundOf, replayOf } from './replay.ts';

type KeptPlan = NonNullable<Detailed['plan']>;

/** How the request was routed at its time, where that was kept, and ways to ask how it would be now. */
export function Plan({ detail }: { readonly detail: Detailed }) {
  const command = `headgate route explain --generation ${detail.row.id}`;
  return (
    <div class="stack">
      {detail.plan === null ? (
        <p class="muted">
          How this request was routed was not kept; what was tried is under Attempts. Which requests keep it
          is set by <code>observability.plans</code> in the configuration.
        </p>
      ) : (
        <Kept plan={detail.plan} />
      )}
      <p>Where would it go now? Prices, health and limits may have changed since.</p>
      <div class="row">
        <a class="button" href={replayOf(detail)}>
          Explain now
        </a>
        <a class="button" href={playgroundOf(detail)}>
          Open in the playground
        </a>
      </div>
      <p class="hint">
        {detail.replay === null
          ? 'With its model and its size; its preferences and tools are not kept.'
          : 'With its models, preferences and kinds of tools.'}{' '}
        Nothing of what was said is kept, and nothing is sent. The same at the command line:
      </p>
      <div class="row">
        <code class="long-name">{command}</code>
        <Copy text={command} label="Copy" />
      </div>
    </div>
  );
}

const credentials = {
  own: 'own credential',
  shared: 'shared credential',
  own_fallback: 'own credential, after the shared one',
};

function Kept({ plan: { targets, excluded, further } }: { readonly plan: KeptPlan }) {
  return (
    <>
      <h3>{targets.length === 0 ? 'No endpoint could serve it' : 'Endpoints in the order of attempts'}</h3>
      <ol class="plain-list stack">
        {targets.map((target, index) => (
          <li key={index} class="pipeline-entry">
            <p>
              {index + 1}. <strong>{plain(target.provider_name)}</strong>{' '}
              <code class="muted">{plain(target.endpoint)}</code>{' '}
              <span class="muted">{plain(target.model)}</span>
            </p>
            {target.because !== null && <p>{placeOf(target.because, index)}</p>}
            <p class="hint">
              {credentials[target.credential as keyof typeof credentials]}
              {target.tier !== 'default' && `, tier ${plain(target.tier)}`}
              {target.prompt !== null &&
                `, ${tokenPrice(target.prompt)} in and ${tokenPrice(target.completion ?? '0')} out a million`}
            </p>
          </li>
        ))}
      </ol>
      {excluded.length > 0 && (
        <>
          <h3>Left out</h3>
          <ul class="plain-list stack">
            {excluded.map((one, index) => (
              <li key={index} class="pipeline-entry">
                <p>
                  <strong>{plain(one.provider_name)}</strong> <code class="muted">{plain(one.endpoint)}</code>{' '}
                  <span class="muted">{plain(one.model)}</span>
                </p>
                <p>
                  {reasonOf(one.reason)} <code class="chip">{plain(one.reason)}</code>
                </p>
              </li>
            ))}
          </ul>
        </>
      )}
      {further > 0 && (
        <p class="hint">
          {many(further, 'further endpoint')} {count(further) === '1' ? 'is' : 'are'} not kept.
        </p>
      )}
    </>
  );
}
