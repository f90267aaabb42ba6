import type { PluginDefaults } from '../core/plugin-defaults.ts';
import { anyObject, flag, map, type Static, Type, text } from '../util/json-schema.ts';
import { memberPath } from './fault.ts';
import { pluginIds, readPlugin } from './plugin-schemas.ts';

/** `plugin_defaults` of a workspace, and `plugins.defaults` of the configuration. */
export const pluginDefaultsSchema = map(
  Type.Object(
    {
      config: Type.Optional(anyObject()),
      enforced: Type.Optional(
        flag({ description: 'Whether requests cannot change it; false where left out' }),
      ),
    },
    { additionalProperties: false, description: 'A plugin that is on for requests that do not name it' },
  ),
  {
    propertyNames: text({ pattern: `^(${pluginIds.join('|')})$`, description: 'the id of a plugin' }),
    description:
      'By the id of a plugin; config has the members that an entry of plugins has besides id, enabled: false included',
  },
);

/** Defaults as they are written. */
export type WrittenPluginDefaults = Static<typeof pluginDefaultsSchema>;

/**
 * The defaults that written ones state.
 * @throws HeadgateError `invalid_request` naming the path of the first fault.
 */
export function readPluginDefaults(written: WrittenPluginDefaults, path: string): PluginDefaults {
  const read = Object.entries(written).map(([id, { config = {}, enforced = false }]) => {
    const place = memberPath(path, id);
    const entry = readPlugin({ ...config, id }, `${place}.config`);
    const settings = entry.enabled ? entry.settings : { enabled: false, ...entry.settings };
    return [id, { config: settings, enforced: enforced ?? false }] as const;
  });
  return Object.fromEntries(read);
}
