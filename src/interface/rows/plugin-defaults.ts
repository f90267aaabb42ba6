import { apiBase } from '../../edge/paths.ts';
import { accountOf } from '../../operations/accounts/account-of.ts';
import { setPluginDefaults } from '../../operations/accounts/set-plugin-defaults.ts';
import type { Account } from '../../ports/accounts.ts';
import { pluginDefaultsSchema, readPluginDefaults } from '../../schema/plugin-defaults.ts';
import { list, named, Type, text } from '../../util/json-schema.ts';
import type { InterfaceServices } from '../interface-services.ts';
import { withRole } from '../require-operator.ts';
import { jsonRow, type Row } from '../row.ts';
import { answerOf, closed } from '../schemas/parts.ts';
import { one } from './management-parts.ts';

/** Plugins that are on by default for an account. */
const AccountPluginDefaults = answerOf(
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
const SetPluginDefaults = named(
  'SetPluginDefaults',
  Type.Object(
    {
      plugin_defaults: pluginDefaultsSchema,
      account_id: Type.Optional(text({ description: 'Another account; only for operators' })),
    },
    closed,
  ),
);

const oneAccount = { ...one, path: `${apiBase}/plugins/defaults` } as const;

/** Plugins that are on for requests of an account which do not name them (docs/spec/plugins.md#defaults). */
export const pluginDefaultRows: readonly Row[] = [
  jsonRow({
    ...oneAccount,
    method: 'GET',
    id: 'getPluginDefaults',
    summary: 'The plugins that are on by default for an account',
    query: Type.Object({
      account_id: Type.Optional(text({ description: 'Another account; only for operators' })),
    }),
    answer: AccountPluginDefaults,
    handle: async ({ actor, query }, services) => {
      const account = await accountOf(await withRole(actor, services), query.account_id, services);
      return { data: show(account, services) };
    },
  }),
  jsonRow({
    ...oneAccount,
    method: 'PUT',
    id: 'setPluginDefaults',
    summary: 'Replace the plugins that are on by default for an account',
    body: SetPluginDefaults,
    answer: AccountPluginDefaults,
    handle: async ({ actor, body }, services) => {
      const defaults = readPluginDefaults(body.plugin_defaults, 'plugin_defaults');
      const input = { account: body.account_id, defaults };
      const account = await setPluginDefaults(await withRole(actor, services), input, services);
      return { data: show(account, services) };
    },
  }),
];

function show({ id, pluginDefaults = {} }: Account, { config }: Pick<InterfaceServices, 'config'>) {
  const { plugins, tools } = config;
  const missing = [
    plugins.moderation === undefined && { plugin: 'moderation', setting: 'plugins.moderation' },
    plugins.fileParser.ocr === undefined && { plugin: 'file-parser', setting: 'plugins.file_parser.ocr' },
    tools.webSearch.engines.length === 0 && { plugin: 'web', setting: 'tools.web_search.engines' },
  ];
  return {
    account_id: id,
    plugin_defaults: { ...pluginDefaults },
    installation: { ...plugins.defaults },
    missing_backends: missing.filter((one) => one !== false),
  };
}
