import { pluginDefaultsSchema } from '../../schema/plugin-defaults.ts';
import { list, named, Type, text } from '../../util/json-schema.ts';
import { answerOf, closed } from './parts.ts';

/** Plugins that are on by default for an account. */
export const AccountPluginDefaults = answerOf(
  'AccountPluginDefaults',
  Type.Object({
    account_id: text(),
    plugin_defaults: pluginDefaultsSchema,
    installation: {
      ...pluginDefaultsSchema,
      description: 'Those of the configuration, which hold for every account',
    },
    missing_backends: list(
      Type.Object({
        plugin: text(),
        setting: text({ description: 'What the configuration lacks for all that the plugin can do' }),
      }),
    ),
  }),
);

/** The body of `PUT /plugins/defaults`: it replaces all of the account's. */
export const SetPluginDefaults = named(
  'SetPluginDefaults',
  Type.Object(
    {
      plugin_defaults: pluginDefaultsSchema,
      account_id: Type.Optional(text({ description: 'Another account; only for operators' })),
    },
    closed,
  ),
);
