import { section } from '../schema/fields.ts';
import { flag, integer, list, map, Type, text, word } from '../util/json-schema.ts';

/** `compat`: help for clients written for another service. */
export const compatSettings = Type.Object(
  {
    aliases: list(text({ pattern: '^[a-z][a-z0-9-]*$', description: 'a lowercase word' }), {
      default: [],
      description: 'Other spellings of the service prefix in requests',
    }),
    claude_ids: flag({
      default: true,
      description:
        'Whether models are also listed as claude-via/<slug> for clients of the Messages format, some of which show only names with "claude"',
    }),
    echo_model: flag({
      default: false,
      description: 'Whether answers of the Messages format name the model as the request did',
    }),
    model_aliases: map(text({ minLength: 1 }), {
      default: {},
      description:
        'Slugs by the names that clients send, for names that are no slugs; one "*" stands for any characters',
    }),
    byok_created_status: integer({
      minimum: 200,
      maximum: 201,
      default: 200,
      description: 'Status of a successful POST /byok; some clients accept only 201',
    }),
    unavailable_tools: word(['refuse', 'drop'], {
      default: 'refuse',
      description:
        'What happens to hosted tools that no endpoint of the model has and the gateway cannot run: the request is ' +
        'refused, or sent without them and X-Service-Left-Out names them',
    }),
  },
  section('Help for clients written for another service'),
);
