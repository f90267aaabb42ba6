import { withFusion } from '../../core/fusion.ts';
import type { Stage } from '../stage.ts';

/** The plugin `fusion`: offers the tool `service:fusion` with the plugin's settings (docs/spec/server-tools.md#fusion). */
export const fusionPlugin: Stage = {
  place: 'router',
  begin({ plugins }) {
    const plugin = plugins?.find(({ id, enabled }) => id === 'fusion' && enabled);
    if (plugin === undefined) return undefined;
    return { prepare: (request) => withFusion(request, plugin.settings) };
  },
};
