import assert from 'node:assert/strict';
import type { ScriptedAnswer, SeenRequest } from '../dialect-script.ts';
import { type Behaviour, modes } from './behaviour.ts';

const usage = { input: 20, output: 10 };
const person = { name: 'Ada', age: 36 };
const json = JSON.stringify(person);
const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
  additionalProperties: false,
};
const format = { type: 'json_schema', name: 'person', schema, strict: true };
const tide = { type: 'function', name: 'get_tide', parameters: { type: 'object' } };
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const picture = `data:image/png;base64,${pixel}`;
const pdf = `data:application/pdf;base64,${Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64')}`;

/** What a well-behaved model does with a schema: it calls the function that stands for it, or writes JSON. */
function obey({ tools }: SeenRequest): ScriptedAnswer {
  const forced = tools.find(({ name }) => name !== 'get_tide');
  const pieces = [json.slice(0, 7), json.slice(7)];
  return forced === undefined
    ? { utterances: [{ say: pieces }], finish: 'stop', usage }
    : {
        utterances: [{ call: [{ id: 'call_f1', name: forced.name, arguments: pieces }] }],
        finish: 'tool_calls',
        usage,
      };
}

const show = (part: object) => ({
  input: [{ role: 'user', content: [{ type: 'input_text', text: 'What is this?' }, part] }],
});
const plain: ScriptedAnswer = { utterances: [{ say: ['A pixel.'] }], finish: 'stop', usage };

/** Structured answers, and more than text. */
export const formats: readonly Behaviour[] = [
  {
    name: 'structured output is JSON text that fits',
    async run({ say, ask }) {
      say(obey);
      for (const mode of modes) {
        const got = await ask({ ...mode, text: { format } });
        assert.equal(got.status, 200, JSON.stringify(got.body));
        assert.deepEqual(JSON.parse(got.text), person);
        assert.equal(got.body.status, 'completed');
        assert.deepEqual(
          got.body.output.map((item: { type: string }) => item.type),
          ['message'],
        );
      }
    },
  },
  {
    name: 'structured output beside tools',
    async run({ say, ask }) {
      say(obey);
      for (const mode of modes) {
        const got = await ask({ ...mode, text: { format }, tools: [tide] });
        assert.deepEqual(JSON.parse(got.text), person, JSON.stringify(got.body));
      }
    },
  },
  {
    name: 'JSON mode',
    async run({ say, ask }) {
      say(obey);
      for (const mode of modes) {
        const got = await ask({ ...mode, text: { format: { type: 'json_object' } } });
        assert.deepEqual(JSON.parse(got.text), person, JSON.stringify(got.body));
      }
    },
  },
  {
    name: 'a picture by data URL arrives',
    uses: ['input.image.data'],
    async run(stage) {
      stage.say(plain);
      const got = await stage.ask(show({ type: 'input_image', image_url: picture }));
      assert.equal(got.text, 'A pixel.', JSON.stringify(got.body));
      assert.ok(JSON.stringify(stage.provider.bodies.at(-1)).includes(pixel));
    },
  },
  {
    name: 'a picture by https URL arrives',
    uses: ['input.image.url'],
    async run(stage) {
      stage.say(plain);
      const image_url = 'https://example.com/pixel.png';
      const got = await stage.ask(show({ type: 'input_image', image_url }));
      assert.equal(got.text, 'A pixel.', JSON.stringify(got.body));
      assert.ok(JSON.stringify(stage.provider.bodies.at(-1)).includes(image_url));
    },
  },
  {
    name: 'a file arrives',
    uses: ['input.file.data'],
    async run(stage) {
      stage.say(plain);
      const got = await stage.ask(show({ type: 'input_file', filename: 'note.pdf', file_data: pdf }));
      assert.equal(got.text, 'A pixel.', JSON.stringify(got.body));
      assert.ok(JSON.stringify(stage.provider.bodies.at(-1)).includes(pdf.split(',')[1] ?? pdf));
    },
  },
  {
    name: 'sound arrives',
    uses: ['input.audio'],
    async run(stage) {
      stage.say(plain);
      const data = Buffer.from('RIFFxxxxWAVE').toString('base64');
      const got = await stage.ask(show({ type: 'input_audio', input_audio: { data, format: 'wav' } }));
      assert.equal(got.text, 'A pixel.', JSON.stringify(got.body));
      assert.ok(JSON.stringify(stage.provider.bodies.at(-1)).includes(data));
    },
  },
  {
    name: 'a picture in the answer is an item of its own',
    says: ['picture'],
    uses: ['modalities.image'],
    async run({ say, ask }) {
      say({ utterances: [{ picture: pixel }], finish: 'stop', usage });
      for (const mode of modes) {
        const { body } = await ask({ ...mode, modalities: ['text', 'image'] });
        const item = body.output.find(({ type }: { type: string }) => type === 'image_generation_call');
        assert.equal(item?.result, pixel, JSON.stringify(body));
        assert.equal(item.status, 'completed');
      }
    },
  },
  {
    name: 'a picture as the output of a tool',
    uses: ['input.tool_output.media', 'input.image.data'],
    async run(stage) {
      stage.say(plain);
      const got = await stage.ask({
        tools: [tide],
        input: [
          { role: 'user', content: 'Hello' },
          { type: 'function_call', call_id: 'call_p1', name: 'get_tide', arguments: '{}' },
          {
            type: 'function_call_output',
            call_id: 'call_p1',
            output: [
              { type: 'input_text', text: 'The chart:' },
              { type: 'input_image', image_url: picture, detail: 'auto' },
            ],
          },
        ],
      });
      assert.equal(got.text, 'A pixel.', JSON.stringify(got.body));
      assert.ok(JSON.stringify(stage.provider.bodies.at(-1)).includes(pixel));
    },
  },
];
