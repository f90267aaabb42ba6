import { durationField, httpUrlField, secretField, section, sizeField } from '../schema/fields.ts';
import { flag, integer, type Static, Type, text, word } from '../util/json-schema.ts';
import type { Secret } from '../util/secret.ts';

/** `plugins.file_parser`: how files are read for models that cannot. */
export const fileParserSettings = Type.Object(
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
export const moderationSettings = Type.Object(
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
export interface OcrConfig {
  readonly apiKey: Secret;
  readonly baseUrl?: string;
  readonly timeout: number;
}

/** What reads files. */
export interface FileParserConfig {
  /** Undefined without a credential. */
  readonly ocr?: OcrConfig;
  readonly limits: Static<typeof fileParserSettings>['limits'];
}

/** What moderates. */
export interface ModerationConfig {
  readonly baseUrl: string;
  readonly apiKey?: Secret;
  readonly model: string;
  readonly images: boolean;
  readonly timeout: number;
  readonly onFailure: 'allow' | 'refuse';
}

/** The settings in the names of the program. */
export function declaredFileParser({ ocr, limits }: Static<typeof fileParserSettings>): FileParserConfig {
  if (ocr?.api_key === undefined) return { limits };
  return { limits, ocr: { apiKey: ocr.api_key, baseUrl: ocr.base_url, timeout: ocr.timeout } };
}

/** The settings in the names of the program; undefined where nobody moderates. */
export function declaredModeration(
  settings: Static<typeof moderationSettings> | undefined,
): ModerationConfig | undefined {
  if (settings === undefined) return undefined;
  const { base_url: baseUrl, api_key: apiKey, model, images, timeout, on_failure: onFailure } = settings;
  return { baseUrl, apiKey, model, images, timeout, onFailure };
}
