/**
 * Talks to Headgate through the `openai` package: an answer, a stream, a tool, and JSON by a schema.
 *
 *   HEADGATE_API_KEY=sk-hg-... npx node examples/openai-client.ts   (the Node that `npm ci` installed)
 *
 * The sandbox models answer without any provider; put a model of your own in MODEL to see real answers.
 */
import OpenAI from 'openai';
import type { FunctionTool, ResponseInput } from 'openai/resources/responses/responses';

const client = new OpenAI({
  baseURL: process.env.HEADGATE_URL ?? 'http://127.0.0.1:8484/api/v1',
  apiKey: process.env.HEADGATE_API_KEY ?? '',
});
const modelFor = (sandboxModel: string) => process.env.MODEL ?? `sandbox/${sandboxModel}`;

const answer = await client.responses.create({ model: modelFor('echo'), input: 'Good day' });
console.log('answer:', answer.output_text);

process.stdout.write('stream: ');
const stream = client.responses.stream({ model: modelFor('echo'), input: 'One word at a time' });
stream.on('response.output_text.delta', ({ delta }) => process.stdout.write(delta));
console.log(`\ntokens: ${(await stream.finalResponse()).usage?.total_tokens}`);

const weather: FunctionTool = {
  type: 'function',
  name: 'get_weather',
  description: 'Tells the weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: false,
};
const conversation: ResponseInput = [{ role: 'user', content: 'How is the weather in Paris?' }];
const turn = await client.responses.create({
  model: modelFor('tools'),
  input: conversation,
  tools: [weather],
  tool_choice: 'required',
});
// Nothing is stored: the next request repeats the conversation, the model's own items included.
conversation.push(...(turn.output as ResponseInput));
for (const call of turn.output.filter((item) => item.type === 'function_call')) {
  console.log('call:', call.name, call.arguments);
  conversation.push({ type: 'function_call_output', call_id: call.call_id, output: '12 degrees and rain' });
}
const told = await client.responses.create({
  model: modelFor('tools'),
  input: conversation,
  tools: [weather],
});
console.log('told:', told.output_text);

const person = await client.responses.create({
  model: modelFor('json'),
  input: 'Invent a person.',
  text: {
    format: {
      type: 'json_schema',
      name: 'person',
      schema: {
        type: 'object',
        properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0, maximum: 120 } },
        required: ['name', 'age'],
        additionalProperties: false,
      },
    },
  },
});
console.log('person:', JSON.parse(person.output_text));
