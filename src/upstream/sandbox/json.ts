import { type Behaviour, blocks, speak } from './behaviour.ts';
import { fittingJson } from './fitting-json.ts';
import { jsonTokens, lastUserText } from './words.ts';

/** JSON that fits the format asked for; without a schema, an object that tells what it is. */
export const json: Behaviour = (call) => {
  const { format } = call.request;
  const text =
    format.kind === 'json_schema'
      ? fittingJson(call, format.schema)
      : JSON.stringify({ sandbox: true, echo: lastUserText(call.request) ?? '' });
  return speak('text', blocks.text, jsonTokens(text));
};
