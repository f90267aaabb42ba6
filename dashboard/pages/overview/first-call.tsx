import { interfaceRoot } from '../../api/session-state.ts';
import { Copy } from '../../parts/copy.tsx';
import { Empty } from '../../parts/state.tsx';
import { choose } from '../../state/url.ts';

/** What to do where there was no traffic: look further back, or make the first call. */
export function FirstCall() {
  const address = `${interfaceRoot()}api/v1/responses`;
  const line = `curl ${address} -H "Authorization: Bearer $HEADGATE_API_KEY" -H "Content-Type: application/json" -d '{"model":"sandbox/echo","input":"Hello"}'`;
  return (
    <section class="card">
      <Empty title="No requests in this range">
        <p>Send one with an API key, or look at a longer range.</p>
        <pre>{line}</pre>
        <div class="row">
          <Copy text={line} label="Copy" />
          <button
            type="button"
            class="button small"
            onClick={() => choose({ range: '90d', from: undefined, to: undefined })}
          >
            Show 90 days
          </button>
        </div>
      </Empty>
    </section>
  );
}
