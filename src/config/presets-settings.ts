import { section } from '../schema/fields.ts';
import { anyObject, map, Type, text } from '../util/json-schema.ts';

/** `presets`: named settings that every workspace has unless it has one of the slug itself. */
export const presetsSettings = map(
  Type.Object(
    {
      system_prompt: Type.Optional(text({ minLength: 1, description: 'What the model is told first' })),
      config: anyObject(),
    },
    section('A preset'),
  ),
  {
    propertyNames: text({ pattern: '^[a-z0-9][a-z0-9._-]*$' }),
    default: {},
    description: 'Named settings for requests, by slug; config has members of a body of POST /responses',
  },
);
