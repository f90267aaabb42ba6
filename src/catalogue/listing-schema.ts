import { modelCategories } from '../core/listing.ts';
import { httpUrlField, wordField } from '../settings/fields.ts';
import { Type } from '../util/json-schema.ts';
import { instructTypes, tokenizerNames } from './vocabulary.ts';

const closed = { additionalProperties: false } as const;
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));
const number = (description: string) => Type.Optional(Type.Number({ description }));
const country = (description: string) => Type.String({ pattern: '^[A-Z][A-Z]$', description });
const accountList = (description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, description: 'Id of an account' }), { description }));

/** What an entry of `providers` may say for people to read, and where it refuses callers. */
export const providerListing = {
  privacy_policy_url: Type.Optional(httpUrlField('Shown to clients')),
  terms_of_service_url: Type.Optional(httpUrlField('Shown to clients')),
  status_page_url: Type.Optional(httpUrlField('Shown to clients')),
  headquarters: Type.Optional(country('Two letters of ISO 3166, such as DE')),
  datacenters: Type.Optional(
    Type.Array(country('Two letters of ISO 3166, such as DE'), { description: 'Countries it computes in' }),
  ),
  refused_countries: Type.Optional(
    Type.Array(country('Two letters of ISO 3166, such as DE'), {
      description: 'Countries it serves nobody in',
    }),
  ),
};

/** What an endpoint of a model may say besides what it costs and takes. */
export const endpointListing = {
  status: Type.Optional(
    wordField(['hidden', 'disabled', 'deprecated'], 'Out of service; left out: in service'),
  ),
  accounts: accountList('The only accounts that may use it; they are sent there first'),
  data_region: text('Where data is processed, such as europe'),
  is_moderated: flag('Its provider checks what is sent before the model sees it'),
  implicit_caching: flag('It caches prompts without being told to'),
  free_limit_exempt: flag('Of a :free model: limits.free_models keep no request from it'),
};

const arenaSchema = Type.Object(
  {
    arena: Type.String({ minLength: 1, description: 'Which arena' }),
    category: Type.String({ minLength: 1, description: 'What was compared there' }),
    elo: Type.Number({ description: 'The rating' }),
    win_rate: Type.Number({ minimum: 0, maximum: 100, description: 'Comparisons won, of a hundred' }),
    rank: Type.Integer({ minimum: 1, description: 'The place' }),
  },
  { ...closed, description: 'A place in an arena' },
);

const benchmarksSchema = Type.Object(
  {
    intelligence_index: number('A score'),
    coding_index: number('A score'),
    agentic_index: number('A score'),
    arenas: Type.Optional(Type.Array(arenaSchema, { description: 'Places in arenas' })),
  },
  { ...closed, description: 'Scores to sort and filter by' },
);

const defaultsSchema = Type.Object(
  {
    temperature: number('Presumed when a request gives none'),
    top_p: number('Presumed when a request gives none'),
    top_k: Type.Optional(Type.Integer({ description: 'Presumed when a request gives none' })),
    frequency_penalty: number('Presumed when a request gives none'),
    presence_penalty: number('Presumed when a request gives none'),
    repetition_penalty: number('Presumed when a request gives none'),
  },
  { ...closed, description: 'Sampling as the model presumes it; for people, nothing is sent' },
);

/** What an entry of `models` may say about its place in the catalogue. */
export const modelListing = {
  aliases: Type.Optional(
    Type.Array(
      Type.String({
        pattern: '^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+(:[A-Za-z0-9._-]+)?$',
        description: 'author/name, as clients still write it',
      }),
      { description: 'Former ids' },
    ),
  ),
  hidden: flag('Left out of lists and latest aliases'),
  accounts: accountList('The only accounts that know the model'),
  retired: flag('It is no longer served; requests are told its successor'),
  expiration_date: Type.Optional(
    Type.String({
      pattern: '^\\d{4}-\\d\\d-\\d\\d$',
      description: 'The UTC day it retires on, as 2027-01-31',
    }),
  ),
  successor: text('Id of the model to use instead'),
  fast_sibling: text('Id of the model that serves its requests for the priority tier'),
  distillable: flag('Other models may be trained on its answers; left out: unknown'),
  categories: Type.Optional(Type.Array(wordField(modelCategories, 'A label'), { description: 'Labels' })),
  benchmarks: Type.Optional(benchmarksSchema),
  coding_percentile: Type.Optional(
    Type.Number({ minimum: 0, maximum: 100, description: 'Place among coding models' }),
  ),
  tokenizer: Type.Optional(wordField(tokenizerNames, 'The family of its tokenizer')),
  instruct_type: Type.Optional(wordField(instructTypes, 'Its chat template')),
  default_parameters: Type.Optional(defaultsSchema),
  hugging_face_id: text('Where its weights are, as author/name'),
  supported_voices: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), { description: 'Voices it has' }),
  ),
};
