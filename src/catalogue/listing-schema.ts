import { modelCategories } from '../core/listing.ts';
import { httpUrlField } from '../schema/fields.ts';
import { flag, integer, list, number, Type, text, word } from '../util/json-schema.ts';
import { instructTypes, tokenizerNames } from './vocabulary.ts';

const closed = { additionalProperties: false } as const;
const maybe = (description: string) => Type.Optional(flag({ description }));
const words = (description: string) => Type.Optional(text({ minLength: 1, description }));
const score = (description: string) => Type.Optional(number({ description }));
const country = (description: string) => text({ pattern: '^[A-Z][A-Z]$', description });
const accountList = (description: string) =>
  Type.Optional(list(text({ minLength: 1, description: 'Id of an account' }), { description }));

/** What an entry of `providers` may say for people to read, and where it refuses callers. */
export const providerListing = {
  privacy_policy_url: Type.Optional(httpUrlField('Shown to clients')),
  terms_of_service_url: Type.Optional(httpUrlField('Shown to clients')),
  status_page_url: Type.Optional(httpUrlField('Shown to clients')),
  headquarters: Type.Optional(country('Two letters of ISO 3166, such as DE')),
  datacenters: Type.Optional(
    list(country('Two letters of ISO 3166, such as DE'), { description: 'Countries it computes in' }),
  ),
  refused_countries: Type.Optional(
    list(country('Two letters of ISO 3166, such as DE'), {
      description: 'Countries it serves nobody in',
    }),
  ),
};

/** What an endpoint of a model may say besides what it costs and takes. */
export const endpointListing = {
  status: Type.Optional(
    word(['hidden', 'disabled', 'deprecated'], { description: 'Out of service; left out: in service' }),
  ),
  accounts: accountList('The only accounts that may use it; they are sent there first'),
  data_region: words('Where data is processed, such as europe'),
  is_moderated: maybe('Its provider checks what is sent before the model sees it'),
  implicit_caching: maybe('It caches prompts without being told to'),
  free_limit_exempt: maybe('Of a :free model: limits.free_models keep no request from it'),
};

const arenaSchema = Type.Object(
  {
    arena: text({ minLength: 1, description: 'Which arena' }),
    category: text({ minLength: 1, description: 'What was compared there' }),
    elo: number({ description: 'The rating' }),
    win_rate: number({ minimum: 0, maximum: 100, description: 'Comparisons won, of a hundred' }),
    rank: integer({ minimum: 1, description: 'The place' }),
  },
  { ...closed, description: 'A place in an arena' },
);

const benchmarksSchema = Type.Object(
  {
    intelligence_index: score('A score'),
    coding_index: score('A score'),
    agentic_index: score('A score'),
    arenas: Type.Optional(list(arenaSchema, { description: 'Places in arenas' })),
  },
  { ...closed, description: 'Scores to sort and filter by' },
);

const defaultsSchema = Type.Object(
  {
    temperature: score('Presumed when a request gives none'),
    top_p: score('Presumed when a request gives none'),
    top_k: Type.Optional(integer({ description: 'Presumed when a request gives none' })),
    frequency_penalty: score('Presumed when a request gives none'),
    presence_penalty: score('Presumed when a request gives none'),
    repetition_penalty: score('Presumed when a request gives none'),
  },
  { ...closed, description: 'Sampling as the model presumes it; for people, nothing is sent' },
);

/** What an entry of `models` may say about its place in the catalogue. */
export const modelListing = {
  aliases: Type.Optional(
    list(
      text({
        pattern: '^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+(:[A-Za-z0-9._-]+)?$',
        description: 'author/name, as clients still write it',
      }),
      { description: 'Former ids' },
    ),
  ),
  hidden: maybe('Left out of lists and latest aliases'),
  accounts: accountList('The only accounts that know the model'),
  retired: maybe('It is no longer served; requests are told its successor'),
  expiration_date: Type.Optional(
    text({
      pattern: '^\\d{4}-\\d\\d-\\d\\d$',
      description: 'The UTC day it retires on, as 2027-01-31',
    }),
  ),
  successor: words('Id of the model to use instead'),
  fast_sibling: words('Id of the model that serves its requests for the priority tier'),
  distillable: maybe('Other models may be trained on its answers; left out: unknown'),
  categories: Type.Optional(
    list(word(modelCategories, { description: 'A label' }), { description: 'Labels' }),
  ),
  benchmarks: Type.Optional(benchmarksSchema),
  coding_percentile: Type.Optional(
    number({ minimum: 0, maximum: 100, description: 'Place among coding models' }),
  ),
  tokenizer: Type.Optional(word(tokenizerNames, { description: 'The family of its tokenizer' })),
  instruct_type: Type.Optional(word(instructTypes, { description: 'Its chat template' })),
  default_parameters: Type.Optional(defaultsSchema),
  hugging_face_id: words('Where its weights are, as author/name'),
  supported_voices: Type.Optional(list(text({ minLength: 1 }), { description: 'Voices it has' })),
};
