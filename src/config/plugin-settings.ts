import { HeadgateError } from '../core/errors.ts';
import type { PluginDefaults } from '../core/plugin-defaults.ts';
import { section } from '../schema/fields.ts';
import { pluginDefaultsSchema, readPluginDefaults } from '../schema/plugin-defaults.ts';
import { type Static, Type } from '../util/json-schema.ts';
import {
  declaredFileParser,
  declaredModeration,
  type FileParserConfig,
  fileParserSettings,
  type ModerationConfig,
  moderationSettings,
} from './plugin-backends.ts';
import type { Reading } from './reading.ts';

/** `plugins`: what the plugins of requests need, and which are on by default. */
export const pluginSettings = Type.Object(
  {
    defaults: { ...pluginDefaultsSchema, default: {} },
    file_parser: fileParserSettings,
    moderation: Type.Optional(moderationSettings),
  },
  section('Plugins of requests'),
);

/** `plugins` as read. */
export type PluginSettings = Static<typeof pluginSettings>;

/** What the configuration says of plugins. */
export interface PluginConfig {
  /** Of every request. */
  readonly defaults: PluginDefaults;
  readonly fileParser: FileParserConfig;
  /** Undefined where nobody moderates. */
  readonly moderation?: ModerationConfig;
}

/** Checks what single values cannot tell: that a default is a plugin that a request could name. */
export function checkPlugins(settings: Partial<PluginSettings> | undefined, reading: Reading): void {
  const ocr = settings?.file_parser?.ocr;
  if (ocr !== undefined && ocr.api_key === undefined) {
    reading.problem('plugins.file_parser.ocr.api_key', {
      problem: 'is missing',
      allowed: 'a credential of the engine',
      remedy: `add it, such as \${MISTRAL_API_KEY}`,
    });
  }
  for (const [id, written] of Object.entries(settings?.defaults ?? {})) {
    if (written === undefined) continue;
    try {
      readPluginDefaults({ [id]: written }, 'plugins.defaults');
    } catch (thrown) {
      if (!(thrown instanceof HeadgateError)) throw thrown;
      reading.problem(`plugins.defaults.${id}`, {
        problem: thrown.message,
        allowed: 'the members of an entry of plugins, see /docs',
        remedy: 'correct it',
      });
    }
  }
}

/** The plugins that the configuration declares. */
export function declaredPlugins(settings: PluginSettings): PluginConfig {
  return {
    defaults: readPluginDefaults(settings.defaults, 'plugins.defaults'),
    fileParser: declaredFileParser(settings.file_parser),
    moderation: declaredModeration(settings.moderation),
  };
}
