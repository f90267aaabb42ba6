import { Copy } from '../../parts/copy.tsx';
import { href } from '../../state/url.ts';
import type { Detailed } from './detail.tsx';

/** The explainer with the facts of a request. */
export function replayOf({ row }: Detailed): string {
  const tokens = row.input_tokens === null ? undefined : String(row.input_tokens);
  return href('explain', { model: row.requested_model, tokens, run: row.key_hash });
}

/** How the request would be routed now; the plan of its own time is not kept. */
export function Plan({ detail }: { readonly detail: Detailed }) {
  const command = `headgate route explain --generation ${detail.row.id}`;
  return (
    <div class="stack">
      <p class="muted">
        The order of endpoints at that time is not kept; what was tried is under Attempts. Prices, health and
        limits may have changed since.
      </p>
      <p>
        <a class="button" href={replayOf(detail)}>
          Explain now
        </a>
      </p>
      <p>The same at the command line, with the model and the size of this request and none of its text:</p>
      <div class="row">
        <code class="long-name">{command}</code>
        <Copy text={command} label="Copy" />
      </div>
    </div>
  );
}
