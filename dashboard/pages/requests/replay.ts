import { href } from '../../state/url.ts';
import type { Detailed } from './detail.tsx';

/** The explainer with what is known of a request: its models, size, preferences and kinds of tools. */
export function replayOf({ row, replay }: Detailed): string {
  const { model: _, max_output_tokens: output, ...more } = replay ?? {};
  const tokens = row.input_tokens === null ? undefined : String(row.input_tokens);
  return href('explain', {
    model: row.requested_model,
    tokens,
    output: output === undefined ? undefined : String(output),
    run: row.key_hash,
    more: Object.keys(more).length === 0 ? undefined : JSON.stringify(more),
  });
}

/** The playground with the same; the prompt stays what the person typed there. */
export function playgroundOf({ row, replay }: Detailed): string {
  const { model: _, models: _models, ...settings } = replay ?? {};
  return href('playground', {
    models: row.requested_model,
    run: row.key_hash,
    settings: JSON.stringify(settings),
  });
}
