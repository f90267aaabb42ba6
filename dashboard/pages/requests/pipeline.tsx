import { Money } from '../../parts/money.tsx';
import { nanoOf, plain } from '../../text/format.ts';
import type { Detailed } from './detail.tsx';

type Entry = NonNullable<Detailed['record']['pipeline']>[number];

/** What the gateway did around the call: guardrails, plugins, routers, tools. Never what was said. */
export function Pipeline({ entries }: { readonly entries: readonly Entry[] }) {
  return (
    <ol class="plain-list stack">
      {entries.map((entry, index) => (
        <li key={index} class="pipeline-entry">
          <Stage entry={entry} />
        </li>
      ))}
    </ol>
  );
}

function Stage({ entry }: { readonly entry: Entry }) {
  const { type, name, summary, cost_usd: cost, guardrail_scope: scope, data } = entry;
  return (
    <>
      <p class="row">
        <strong>{plain(String(name))}</strong>
        <span class="chip">{plain(String(type).replaceAll('_', ' '))}</span>
        {typeof scope === 'string' && <span class="muted">{plain(scope.replaceAll('_', ' '))}</span>}
        <span class="gap" />
        {typeof cost === 'number' && <Money nano={nanoOf(cost)} />}
      </p>
      {typeof summary === 'string' && <p>{plain(summary)}</p>}
      {data !== undefined && (
        <details>
          <summary>Details</summary>
          <pre>{JSON.stringify(data, null, 2)}</pre>
        </details>
      )}
    </>
  );
}
