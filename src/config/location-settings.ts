import { section } from '../schema/fields.ts';
import { list, Type, text } from '../util/json-schema.ts';

/** `location`: where an installation stands, and where data may be processed. */
export const locationSchema = Type.Object(
  {
    region: Type.Optional(
      text({ minLength: 1, description: 'Name of this place, as routing metadata shows it' }),
    ),
    country: Type.Optional(
      text({
        pattern: '^[A-Z][A-Z]$',
        description: 'Two letters of ISO 3166, such as DE; providers may refuse it',
      }),
    ),
    data_regions: Type.Optional(
      list(text({ minLength: 1 }), {
        minItems: 1,
        description: 'Where data may be processed; left out: anywhere',
      }),
    ),
  },
  section('Where this installation stands'),
);
