import type { PresetAnswer, PresetList, PresetVersionList } from '../../../clients/headgate-api.ts';
import { get } from '../../api/client.ts';
import { principal } from '../../api/session-state.ts';
import { useQuery } from '../../state/query.ts';
import { choice } from '../../state/url.ts';

export type Preset = PresetList['data'][number];
export type WholePreset = PresetAnswer['data'];
export type Version = PresetVersionList['data'][number];

/** The workspace as routes take it: inference keys have their own. */
export function inWorkspace(id: string | undefined) {
  return principal.value?.role === 'key' || id === undefined ? {} : { workspace_id: id };
}

/** The presets of the chosen workspace, or of all, at most a hundred each. */
export function usePresets() {
  const mine = principal.value;
  const chosen = choice('workspace');
  const asked =
    mine?.role === 'key'
      ? [undefined]
      : (mine?.workspaces ?? []).map(({ id }) => id).filter((id) => chosen === undefined || id === chosen);
  return useQuery(
    ['presets', mine?.n, asked],
    async (signal) => {
      const lists = await Promise.all(
        asked.map((id) => get('/presets', { query: { ...inWorkspace(id), limit: 100 }, signal })),
      );
      return lists.flatMap(({ data }) => data);
    },
    { every: 60_000 },
  );
}

/** One preset with its newest hundred versions. */
export function usePreset(slug: string) {
  const workspace = choice('of');
  return useQuery(['preset', principal.value?.n, workspace, slug], async (signal) => {
    const query = inWorkspace(workspace);
    const [preset, versions] = await Promise.all([
      get('/presets/{slug}', { params: { slug }, query, signal }),
      get('/presets/{slug}/versions', { params: { slug }, query: { ...query, limit: 100 }, signal }),
    ]);
    return {
      preset: preset.data,
      versions: versions.data,
      total: versions.total_count ?? versions.data.length,
    };
  });
}
