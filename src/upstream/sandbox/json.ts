import { type Behaviour, blocks, speak } from './behaviour.ts';
import { fitSchema } from './fit-schema.ts';
import { jsonTokens, lastUserText } from './words.ts';

/** JSON that fits the format asked for; without a schema, an object that tells what it is. */
export const json: Behaviour = ({ request }) => {
  const { format, sampling } = request;
  const value =
    format.kind === 'json_schema'
      ? fitSchema(format.schema, sampling.seed)
      : { sandbox: true, echo: lastUserText(request) ?? '' };
  return speak('text', blocks.text, jsonTokens(JSON.stringify(value)));
};
