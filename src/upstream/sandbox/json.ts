import { type Behaviour, blocks, speak } from './behaviour.ts';
import { fittingJson } from './fitting-json.ts';
import { jsonTokens, lastUserText } from './words.ts';

/** JSON that fits the requested format; without a schema, an object that describes itself. */
export const json: Behaviour = (call) => {
  const { format } = call.request;
  const text =
    format.kind === 'json_schema'
      ? fittingJson(call, format.schema)
      : JSON.stringify({ sandbox: true, echo: lastUserText(call.request) ?? '' });
  return speak('text', blocks.text, jsonTokens(text));
};
