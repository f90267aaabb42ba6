import { State } from '../../parts/state.tsx';
import type { Preset } from './queries.ts';

const tones = { active: 'good', disabled: 'muted', archived: 'muted' } as const;

/** Whether requests may name a preset. */
export function PresetState({ status }: Pick<Preset, 'status'>) {
  return <State tone={tones[status]}>{status}</State>;
}
