import { weekdays } from '../core/limit-calendar.ts';
import { mostPerMinute } from '../core/limits.ts';
import { durationField, positiveDurationField, section, sizeField, usdField } from '../schema/fields.ts';
import { flag, integer, number, Type, text, word } from '../util/json-schema.ts';

const count = (fallback: number, description: string) =>
  integer({ minimum: 0, default: fallback, description });
const atLeastOne = (description: string) => integer({ minimum: 1, maximum: mostPerMinute, description });

const budgetSchema = Type.Object(
  {
    enabled: flag({
      default: true,
      description: 'Whether prepaid accounts have an in-flight budget',
    }),
    fraction: number({ minimum: 0, maximum: 1, default: 0.5, description: 'Of the balance' }),
    ceiling_usd: usdField(25, 'Most that may be in flight'),
    threshold_usd: usdField(100, 'Balance from which no budget applies'),
    output_tokens_cap: integer({ minimum: 1, default: 16384, description: 'Output presumed at most' }),
    settlement_window: durationField('How long a settled charge still counts', '120s'),
    lease: positiveDurationField('After which a hold of a dead process lapses', '900s'),
    lease_renewal: positiveDurationField('How often a running request renews its hold', '30s'),
    established_age_days: count(30, 'Age from which an account may count as established'),
    established_spend_usd: usdField(50, 'Spend from which an account may count as established'),
  },
  section('In-flight spending budget of prepaid accounts'),
);

const freeModelsSchema = Type.Object(
  {
    per_minute: count(20, 'Requests of an account in a UTC minute'),
    per_day: count(50, 'Requests of an account in a UTC day'),
    per_day_after_purchase: count(1000, 'The same once enough was purchased'),
    purchase_threshold_usd: usdField(9, 'What counts as enough'),
  },
  section('Limits of models whose id ends in :free'),
);

const rateLimit = (whose: string) =>
  Type.Object(
    {
      requests_per_minute: Type.Optional(atLeastOne('Requests in any minute; null: any number')),
      tokens_per_minute: Type.Optional(
        atLeastOne('Tokens of input and output in any minute; null: any number'),
      ),
      parallel: Type.Optional(atLeastOne('Requests that run at the same time; null: any number')),
    },
    section(whose),
  );

const ratesSchema = Type.Object(
  {
    key: rateLimit('Of each key; a key may have lower limits of its own'),
    account: rateLimit('Of each account, over all its keys'),
    service: rateLimit('Of the whole installation'),
    token_reservation: word(['estimate', 'maximum'], {
      description:
        'Output that counts until a request ends: at most token_reserve, or all that the request may write',
      default: 'estimate',
    }),
    token_reserve: count(1024, 'Output tokens that a request reserves at most with estimate'),
  },
  section('Requests and tokens a minute, and parallel requests'),
);

const piecesSchema = Type.Object(
  {
    searches: count(256, 'Searches of the provider'),
    pictures: count(64, 'Pictures'),
  },
  section('What one answer of a provider is charged for at most; the request may allow less'),
);

const most = (fallback: number, description: string) =>
  integer({ minimum: 1, maximum: mostPerMinute, default: fallback, description });

const storedSchema = Type.Object(
  {
    files: most(10_000, 'Files of a workspace'),
    file_bytes: sizeField('1GiB', 'Bytes of the files of a workspace; each counts as at least 4 KiB'),
    preset_bytes: sizeField('64MiB', 'Bytes of the presets of a workspace, all versions together'),
    keys: most(10_000, 'Keys of a workspace'),
    workspaces: most(200, 'Workspaces of an account'),
    credentials: most(1_000, 'Own provider credentials of an account'),
    guardrails: most(100, 'Guardrails of a workspace'),
    file_writes_per_minute: most(
      120,
      'Times a minute an account may store or delete a file, in each process',
    ),
    preset_writes_per_minute: most(30, 'Times a minute an account may store a preset, in each process'),
  },
  section('How much accounts may store by the interface'),
);

/** `limits`: what accounts may do at most. */
export const limitSettings = Type.Object(
  {
    reset_timezone: text({
      default: 'UTC',
      description:
        'Zone of the IANA database, such as Europe/Berlin, with whose days the limits of keys and budgets begin anew',
    }),
    week_start: word(weekdays, { default: 'monday', description: 'First day of their weeks' }),
    in_flight_budget: budgetSchema,
    free_models: freeModelsSchema,
    rates: ratesSchema,
    reported_pieces: piecesSchema,
    count_tokens_per_minute: count(120, 'Times a minute a key may have tokens counted, in each process'),
    failed_authentication: Type.Object(
      {
        per_minute: count(20, 'Unknown keys of one client address, in each process; 0 means any number'),
      },
      section('Guessing of keys'),
    ),
    stored: storedSchema,
    answer_bytes: sizeField('32MiB', 'Longest answer of a provider; what is longer is cut off'),
  },
  section('What accounts may do at most'),
);
