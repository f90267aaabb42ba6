import { efforts } from '../core/efforts.ts';
import { parameterNames } from '../core/parameters.ts';
import { quantizationNames } from '../core/quantization-names.ts';
import {
  durationField,
  freeForm,
  httpUrlField,
  ownProxyField,
  positiveDurationField,
  rateField,
  secretField,
  secretItem,
  tokenPriceField,
  unitPriceField,
} from '../schema/fields.ts';
import {
  flag,
  integer,
  list,
  map,
  marked,
  number,
  type Static,
  Type,
  text,
  word,
} from '../util/json-schema.ts';
import { endpointListing, modelListing, providerListing } from './listing-schema.ts';
import { adapterNames, modalityNames } from './vocabulary.ts';

const closed = { additionalProperties: false } as const;
const tokens = (description: string) => Type.Optional(integer({ minimum: 1, description }));
const timeOfDay = (description: string) => text({ pattern: '^([01][0-9]|2[0-3])[0-5][0-9]$', description });
const maybe = (description: string) => Type.Optional(flag({ description }));

const besidePrices = {
  reasoning: Type.Optional(tokenPriceField('USD per million reasoning tokens, where they differ')),
  cache_read: Type.Optional(tokenPriceField('USD per million input tokens read from a cache')),
  cache_write: Type.Optional(tokenPriceField('USD per million input tokens written to a cache')),
  cache_write_1h: Type.Optional(tokenPriceField('USD per million tokens written to a one-hour cache')),
  audio_input: Type.Optional(tokenPriceField('USD per million audio input tokens')),
  audio_cache_read: Type.Optional(tokenPriceField('USD per million audio tokens read from a cache')),
  audio_output: Type.Optional(tokenPriceField('USD per million output tokens that are audio')),
  image_token: Type.Optional(tokenPriceField('USD per million input tokens that are pictures')),
  request: Type.Optional(unitPriceField('USD per request')),
  image: Type.Optional(unitPriceField('USD per input image')),
  image_output_token: Type.Optional(tokenPriceField('USD per million output tokens that are pictures')),
  image_output: Type.Optional(unitPriceField('USD per image of the answer')),
  web_search: Type.Optional(
    unitPriceField('USD per web search; left out: what a built-in provider documents'),
  ),
};

const overrideSchema = Type.Object(
  {
    min_prompt_tokens: tokens('Holds when the input is longer than this'),
    utc_start: Type.Optional(timeOfDay('Holds from this time of day, HHMM in UTC; default midnight')),
    utc_end: Type.Optional(
      timeOfDay('Holds until before this time of day, which may lie before utc_start; default midnight'),
    ),
    input: Type.Optional(tokenPriceField('USD per million input tokens')),
    output: Type.Optional(tokenPriceField('USD per million output tokens')),
    ...besidePrices,
  },
  { ...closed, description: 'Prices that replace those of the same name while all its conditions hold' },
);

const priceSchema = Type.Object(
  {
    input: tokenPriceField('USD per million input tokens'),
    output: tokenPriceField('USD per million output tokens'),
    ...besidePrices,
    discount: Type.Optional(rateField('Fraction taken off tokens, pictures and requests')),
    overrides: Type.Optional(list(overrideSchema, { description: 'Later entries win' })),
  },
  {
    ...closed,
    description:
      'What the model costs; without one prepaid accounts and keys with a limit are refused, others charged nothing',
  },
);

const timeoutsSchema = Type.Object(
  {
    connect: positiveDurationField('To open the connection', '10s'),
    first_event: positiveDurationField(
      'From the request to the first event of a streamed answer; 120s means ten minutes where a model may think',
      '120s',
    ),
    total: positiveDurationField('Of the whole attempt; 600s means an hour where a model may think', '600s'),
    idle: positiveDurationField(
      'Without a byte of the provider; 60s means ten minutes where a model may think',
      '60s',
    ),
  },
  { ...closed, default: {}, description: 'Time limits of one attempt' },
);

const callLimits = {
  requests_per_minute: Type.Optional(integer({ minimum: 1, description: 'Requests in any minute' })),
  tokens_per_minute: Type.Optional(
    integer({ minimum: 1, description: 'Tokens of input and output in any minute' }),
  ),
  parallel: Type.Optional(integer({ minimum: 1, description: 'Requests that run at the same time' })),
};

/** One entry of `providers`; for a built-in provider it changes what it names and keeps the rest. */
export const providerSchema = Type.Object(
  {
    enabled: flag({ default: true, description: 'False takes the provider out of service' }),
    name: Type.Optional(text({ minLength: 1, description: 'The name people read' })),
    adapter: Type.Optional(word(adapterNames, { description: 'The dialect the provider speaks' })),
    base_url: Type.Optional(httpUrlField('Where the provider answers, version included')),
    proxy: ownProxyField(
      'The proxy to it, or none; by default what HTTPS_PROXY, HTTP_PROXY and NO_PROXY say',
    ),
    api_key: secretField('The credential; better by variable or api_key_file than as it is'),
    api_keys: Type.Optional(
      list(secretItem('A credential'), {
        minItems: 2,
        maxItems: 20,
        description:
          'Several credentials, used in this order; one that is refused or limited rests while others serve',
      }),
    ),
    discover: maybe(
      'Serves the models that it lists as SLUG/MODEL; default true for Ollama and for a provider of yours without models',
    ),
    propagate_trace: maybe('Whether requests say which trace they belong to (traceparent); default false'),
    headers: marked(map(text(), { default: {}, description: 'Sent with every request' }), { secret: true }),
    quirks: freeForm('Oddities of a look-alike provider, read by its adapter'),
    retains_prompts: maybe('Default true: nothing known counts as yes'),
    trains_on_prompts: maybe('Default true: nothing known counts as yes'),
    publishes_prompts: maybe('Default false'),
    ...providerListing,
    timeouts: timeoutsSchema,
    limits: Type.Optional(
      Type.Object(
        {
          ...callLimits,
          max_wait: durationField(
            'How long a request waits for its turn where no other endpoint is free',
            '30s',
          ),
        },
        { ...closed, description: 'The most that all processes together send to it' },
      ),
    ),
    first_token_delay: Type.Optional(durationField('Sandbox only: wait before the first token')),
    tokens_per_second: Type.Optional(
      number({
        exclusiveMinimum: 0,
        description: 'Sandbox only: pace of the answer; default as fast as it can',
      }),
    ),
    price: Type.Optional(priceSchema),
  },
  { ...closed, default: {}, description: 'Someone who serves models' },
);

const endpointSchema = Type.Object(
  {
    provider: text({ minLength: 1, description: 'A key of providers, or a built-in provider' }),
    model: text({ minLength: 1, description: "The provider's own name for the model" }),
    tag: Type.Optional(
      text({
        pattern: '^[a-z0-9][a-z0-9._-]*(/[a-z0-9][a-z0-9._-]*)?$',
        description:
          "slug or slug/suffix, in lowercase; default: the provider's slug, with the tier behind it where there is one",
      }),
    ),
    tier: word(['default', 'flex', 'priority'], { description: 'The service tier', default: 'default' }),
    ...endpointListing,
    quantization: Type.Optional(word(quantizationNames, { description: 'Of the weights' })),
    context_length: tokens("In tokens; default: its model's, where the model states one"),
    max_completion_tokens: tokens('In tokens'),
    max_prompt_tokens: tokens('In tokens'),
    supported_parameters: Type.Optional(
      list(word(parameterNames, { description: 'A request parameter' }), {
        description: 'Left out: everything is passed on',
      }),
    ),
    price: Type.Optional(priceSchema),
    limits: Type.Optional(
      Type.Object(callLimits, { ...closed, description: 'The most that all processes together send to it' }),
    ),
    hedge_after_ms: Type.Optional(
      integer({
        minimum: 1,
        description:
          'Milliseconds without a token of a streamed answer until the next endpoint of the model is asked as well; default never',
      }),
    ),
    prior: Type.Optional(
      Type.Object(
        {
          ttft_ms: number({ minimum: 0, description: 'Milliseconds to the first token' }),
          tps: number({ exclusiveMinimum: 0, description: 'Tokens per second' }),
        },
        { ...closed, description: 'Presumed speed until there are measurements' },
      ),
    ),
  },
  { ...closed, description: 'One model at one provider in one flavour' },
);

/** One entry of `models`; for a model of the built-in catalogue it changes what it names. */
export const modelSchema = Type.Object(
  {
    id: text({
      pattern: '^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+(:[A-Za-z0-9._-]+)?$',
      description: 'author/name or author/name:variant',
    }),
    canonical_slug: Type.Optional(text({ minLength: 1, description: 'Default: the id' })),
    name: Type.Optional(text({ minLength: 1, description: 'Default: the id' })),
    description: Type.Optional(text()),
    family: Type.Optional(text({ minLength: 1, description: 'What latest aliases choose from' })),
    created: Type.Optional(integer({ minimum: 0, description: 'Unix seconds' })),
    context_length: tokens('In tokens; default: the longest of its endpoints'),
    input_modalities: Type.Optional(
      list(word(modalityNames, { description: 'What it reads' }), { minItems: 1 }),
    ),
    output_modalities: Type.Optional(
      list(word(modalityNames, { description: 'What it writes' }), { minItems: 1 }),
    ),
    reasoning: Type.Optional(
      Type.Object(
        {
          mandatory: flag({ default: false, description: 'It cannot be turned off' }),
          default_enabled: maybe('It reasons unless told otherwise'),
          default_effort: Type.Optional(word(efforts, { description: 'The effort unless told otherwise' })),
          supported_efforts: Type.Optional(
            list(word(efforts, { description: 'An effort' }), { minItems: 1 }),
          ),
          supports_max_tokens: maybe('It takes a budget in tokens'),
        },
        { ...closed, description: 'Left out: the model does not reason' },
      ),
    ),
    knowledge_cutoff: Type.Optional(text({ minLength: 4, description: 'Such as 2025-06-30' })),
    ...modelListing,
    endpoints: Type.Optional(
      list(endpointSchema, {
        minItems: 1,
        description: 'Required unless the model is built in or retired',
      }),
    ),
  },
  { ...closed, description: 'A model clients can name' },
);

/** A price as read from the file. */
export type PriceSettings = Static<typeof priceSchema>;
/** A provider as read from the file. */
export type ProviderSettings = Static<typeof providerSchema>;
/** An endpoint as read from the file. */
export type EndpointSettings = Static<typeof endpointSchema>;
/** A model as read from the file. */
export type ModelSettings = Static<typeof modelSchema>;
