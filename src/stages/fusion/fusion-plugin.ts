import { withFusion } from '../../core/fusion.ts';
import type { InferenceRequest } from '../../core/inference-request.ts';
import type { Stage } from '../stage.ts';

/** The plugin `fusion`: offers the tool `service:fusion` with the plugin's settings (docs/spec/server-tools.md#fusion). */
export const fusionPlugin: Stage = {
  place: 'router',
  begin({ plugins }: InferenceRequest) {
    const plugin = plugins?.find(({ id, enabled }) => id === 'fusion' && enabled);
    if (plugin === undefined) return undefined;
    return { prepare: (request: InferenceRequest) => withFusion(request, plugin.settings) };
  },
};
