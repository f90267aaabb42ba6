import type { RiskList } from '../../../clients/headgate-api.ts';
import { Failed, Loading, State } from '../../parts/state.tsx';
import { many, plain } from '../../text/format.ts';
import { useRisks } from './queries.ts';

type Risk = RiskList['data'][number];

const tones = { problem: 'bad', warning: 'warn', note: 'muted' } as const;

/** What needs attention. Notes are there for who looks for them. */
export function Risks() {
  const { data, error, reload } = useRisks();
  if (error !== undefined && data === undefined) return <Failed error={error} retry={reload} />;
  if (data === undefined) return <Loading height={120} />;
  const urgent = data.data.filter(({ level }) => level !== 'note');
  const notes = data.data.filter(({ level }) => level === 'note');
  if (data.data.length === 0) return null;
  return (
    <section class="card" aria-label="What needs attention">
      <div class="card-head">
        <h2>What needs attention</h2>
      </div>
      {urgent.length === 0 && <p class="muted padded-line">Nothing at the moment.</p>}
      <ul class="plain-list">
        {urgent.map((risk) => (
          <Entry key={risk.text} risk={risk} />
        ))}
      </ul>
      {notes.length > 0 && (
        <details class="risk-rest">
          <summary>{many(notes.length, 'thing')} worth knowing</summary>
          <ul class="plain-list">
            {notes.map((risk) => (
              <Entry key={risk.text} risk={risk} />
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function Entry({ risk: { level, text } }: { readonly risk: Risk }) {
  return (
    <li class="risk">
      <State tone={tones[level]}>{level}</State>
      <span>{plain(text)}</span>
    </li>
  );
}
