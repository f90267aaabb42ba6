import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import { collect } from './gateway.js';

const weather = tool(async ({ city }) => `${city}: clear`, {
  name: 'weather',
  description: 'The weather of a city',
  schema: z.object({ city: z.string() }),
});

/**
 * What every chat model of LangChain must do.
 * @param model Makes the model of a name.
 * @param reasoning Settings of a model that reasons.
 */
export function testLangchain(model, reasoning = {}) {
  test('text, whole and streamed', async () => {
    const answer = await model('sandbox/echo').invoke('one two three');
    assert.equal(answer.text, '[sandbox] one two three');
    assert.ok(answer.usage_metadata.total_tokens > 0);
    const chunks = await collect(await model('sandbox/echo').stream('one two three'));
    assert.equal(chunks.map((chunk) => chunk.text).join(''), '[sandbox] one two three');
  });

  test('a tool is called, and its result answered', async () => {
    const asking = model('sandbox/tools').bindTools([weather]);
    const question = new HumanMessage('The weather in Brest?');
    const call = await asking.invoke([question]);
    assert.equal(call.tool_calls.length, 1);
    const [wanted] = call.tool_calls;
    assert.equal(wanted.name, 'weather');
    const result = await weather.invoke(wanted);
    assert.ok(result instanceof ToolMessage);
    const answer = await asking.invoke([question, call, result]);
    assert.match(answer.text, /The tool answered: .*clear/);
  });

  test('structured output', async () => {
    const person = z.object({ name: z.string(), age: z.number().int() });
    const answer = await model('sandbox/json')
      .withStructuredOutput(person, { method: 'jsonSchema' })
      .invoke('Who?');
    assert.deepEqual(person.parse(answer), answer);
  });

  test('reasoning, and another turn after it', async () => {
    const asking = model('sandbox/reason', reasoning);
    const first = await asking.invoke('one two');
    assert.equal(first.text, '[sandbox] one two');
    const second = await asking.invoke([new HumanMessage('one two'), first, new HumanMessage('three')]);
    assert.equal(second.text, '[sandbox] three');
  });
}
