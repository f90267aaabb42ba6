import type { Config } from '../config/config.ts';
import type { Position } from '../config/config-error.ts';
import type { ConfigState } from '../config/config-state.ts';
import { showConfig } from '../config/show-config.ts';
import { flattenValues } from '../util/flatten-values.ts';
import { isoTime } from '../util/iso-time.ts';

/** The configuration in use as JSON, as `headgate check` shows it, with the places of what was set. */
export function describeConfig(
  config: Config,
  { facts, environment }: Pick<ConfigState, 'facts' | 'environment'>,
) {
  const { file, ...shown } = showConfig(config, environment);
  const { loadedAt, refused, needRestart, sources } = facts;
  return {
    file: typeof file === 'string' ? file : null,
    loaded_at: isoTime(loadedAt),
    refused: refused === undefined ? null : { at: isoTime(refused.at), reasons: [...refused.reasons] },
    needs_restart: [...needRestart],
    values: flattenValues(shown).map(([key, value]) => ({
      key,
      value,
      source: sourceOf(sources.get(key)),
    })),
  };
}

function sourceOf(position: Position | undefined): string | null {
  if (position === undefined) return null;
  return position.line === undefined ? position.source : `${position.source}:${position.line}`;
}
