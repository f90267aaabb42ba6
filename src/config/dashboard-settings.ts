import { positiveDurationField, section } from '../schema/fields.ts';
import { flag, integer, list, Type, text } from '../util/json-schema.ts';

/** `server.dashboard`: the web dashboard. */
export const dashboardSettings = Type.Object(
  {
    enabled: flag({
      default: true,
      description: 'Whether browsers can log in, and call the interface below /ui',
    }),
    port: Type.Optional(
      integer({
        minimum: 1,
        maximum: 65535,
        description: 'Serves the dashboard there and only there; left out: beside the interface',
      }),
    ),
    read_only: flag({
      default: false,
      description: 'Whether the dashboard refuses all that changes or costs something',
    }),
    allow_insecure_http: flag({
      default: false,
      description: 'Whether somebody may log in over plain HTTP from another machine',
    }),
    operator_accounts: list(text({ minLength: 1 }), {
      default: [],
      description:
        'Accounts whose management keys may see the whole installation; empty is the account of the first start',
    }),
    session: Type.Object(
      {
        idle: positiveDurationField('Without use, of a management key', '2h'),
        max: positiveDurationField('In all, of a management key', '24h'),
        key_idle: positiveDurationField('Without use, of an inference key', '12h'),
        key_max: positiveDurationField('In all, of an inference key', '168h'),
      },
      section('How long a login lasts'),
    ),
  },
  section('The web dashboard'),
);
