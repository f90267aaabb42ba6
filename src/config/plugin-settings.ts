import { HeadgateError } from '../core/errors.ts';
import type { PluginDefaults } from '../core/plugin-defaults.ts';
import { durationField, httpUrlField, secretField, section, sizeField } from '../schema/fields.ts';
import { pluginDefaultsSchema, readPluginDefaults } from '../schema/plugin-defaults.ts';
import { flag, integer, type Static, Type, text, word } from '../util/json-schema.ts';
import type { Secret } from '../util/secret.ts';
import type { Reading } from './reading.ts';

/** `plugins.file_parser`: how files are read for models that cannot. */
const fileParserSettings = Type.Object(
  {
    ocr: Type.Optional(
      Type.Object(
        {
          api_key: secretField('What it is asked with'),
          base_url: Type.Optional(httpUrlField('Its address; left out: https://api.mistral.ai')),
          timeout: durationField('How long one document may take', '120s'),
        },
        { additionalProperties: false, description: 'The engine for scans, "mistral-ocr" of requests' },
      ),
    ),
    limits: Type.Object(
      {
        file: sizeField('25MiB', 'Largest file'),
        pages: integer({
          minimum: 1,
          maximum: 10_000,
          default: 500,
          description: 'Pages of a PDF that the gateway reads itself',
        }),
        timeout: durationField('How long it may take for one', '30s'),
      },
      section('Limits of files'),
    ),
  },
  section('Reading of files'),
);

/** `plugins.moderation`: who judges what is sent to models. */
const moderationSettings = Type.Object(
  {
    base_url: httpUrlField('The service: POST {base_url}/moderations'),
    api_key: secretField('What it is asked with; left out: nothing'),
    model: text({ minLength: 1, description: 'Its model' }),
    images: flag({ default: false, description: 'Whether it judges pictures too, one a question' }),
    timeout: durationField('How long it may take', '5s'),
    on_failure: word(['allow', 'refuse'], {
      default: 'allow',
      description: 'What happens to a request that it cannot judge',
    }),
  },
  {
    additionalProperties: false,
    description: 'The service behind the plugin moderation and moderated endpoints',
  },
);

/** The engine for scans, as the program uses it. */
interface OcrConfig {
  readonly apiKey: Secret;
  readonly baseUrl?: string;
  readonly timeout: number;
}

/** What reads files. */
interface FileParserConfig {
  /** Undefined without a credential. */
  readonly ocr?: OcrConfig;
  readonly limits: Static<typeof fileParserSettings>['limits'];
}

/** What moderates. */
interface ModerationConfig {
  readonly baseUrl: string;
  readonly apiKey?: Secret;
  readonly model: string;
  readonly images: boolean;
  readonly timeout: number;
  readonly onFailure: 'allow' | 'refuse';
}

/** The settings in the names of the program. */
function declaredFileParser({ ocr, limits }: Static<typeof fileParserSettings>): FileParserConfig {
  if (ocr?.api_key === undefined) return { limits };
  return { limits, ocr: { apiKey: ocr.api_key, baseUrl: ocr.base_url, timeout: ocr.timeout } };
}

/** The settings in the names of the program; undefined where no moderation is configured. */
function declaredModeration(
  settings: Static<typeof moderationSettings> | undefined,
): ModerationConfig | undefined {
  if (settings === undefined) return undefined;
  const { base_url: baseUrl, api_key: apiKey, model, images, timeout, on_failure: onFailure } = settings;
  return { baseUrl, apiKey, model, images, timeout, onFailure };
}

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
