import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usdToNumber } from '../../src/core/money.ts';
import { chatChunk, chatStream, dataEvent } from '../fake-upstream/chat-stream.ts';
import { type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { responsesBody, responsesEvents, toStream } from '../fake-upstream/responses-stream.ts';
import { checkStream } from '../stream-checker.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway } from '../support/gateway.ts';
import { geminiAnswer, geminiStream } from '../support/gemini-answers.ts';
import { calls, checkEvent, type Read, readEvents, type SentBody } from './tool-world.ts';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const answer: Script = { steps: chatStream('There.') };
const asks = calls(['service_image_generation', { prompt: 'A dot.' }]);
const tool = (parameters: object = {}) => ({ type: 'service:image_generation', parameters });

/** A picture as each wire format has it. */
const painters = {
  'openai-chat': (picture: string): Script => {
    const images = [{ type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } }];
    const usage = { prompt_tokens: 9, completion_tokens: 100, total_tokens: 109 };
    const whole = {
      id: 'chatcmpl-1',
      usage,
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: '', images } }],
    };
    return {
      whole: JSON.stringify(whole),
      steps: [
        chatChunk({ role: 'assistant', content: '', images }),
        chatChunk({}, 'stop'),
        dataEvent({ id: 'chatcmpl-1', choices: [], usage }),
        'data: [DONE]\n\n',
      ],
    };
  },
  'google-gemini': (picture: string): Script => {
    const told = geminiAnswer([{ inlineData: { mimeType: 'image/png', data: picture } }], {
      finishReason: 'STOP',
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 100, totalTokenCount: 109 },
    } as object);
    return { whole: JSON.stringify(told), steps: [geminiStream([told])] };
  },
  'openai-responses': (picture: string): Script => {
    const item = {
      type: 'image_generation_call',
      id: 'ig_up',
      status: 'completed',
      result: picture,
    } as const;
    return {
      whole: JSON.stringify(responsesBody({ output: [item] })),
      steps: toStream(responsesEvents({ output: [item] })),
    };
  },
} as const;
type Painter = keyof typeof painters;

/** What a provider that makes pictures says of itself. */
const quirks: Readonly<Record<Painter, Readonly<Record<string, unknown>>>> = {
  'openai-chat': { imageOutput: true },
  'google-gemini': {},
  'openai-responses': { hostedTools: ['image_generation'] },
};

async function start(
  big: readonly Script[],
  painter: Painter = 'openai-chat',
  picture = png,
  known = 'acme/painter',
) {
  const [writes, paints] = [
    await startFakeUpstream(...big),
    await startFakeUpstream(painters[painter](picture)),
  ];
  const north = providerOf({ slug: 'north', baseUrl: `${writes.url}/v1` });
  const south = providerOf({
    slug: 'south',
    baseUrl: `${paints.url}/v1`,
    adapter: painter,
    quirks: quirks[painter],
  });
  const gateway = await startGateway({
    models: [
      modelOf('acme/atlas-4', [north]),
      { ...modelOf(known, [south]), outputModalities: ['text', 'image'] },
    ],
  });
  const ask = (body: object) => gateway.post({ model: 'acme/atlas-4', input: 'Paint.', ...body });
  return {
    gateway,
    writes,
    paints,
    async read(body: object): Promise<Read> {
      const response = await ask(body);
      const read = (await response.json()) as object;
      if (response.status === 200) checkContract('OpenResponsesResult', read);
      return { httpStatus: response.status, ...read };
    },
    async stream(body: object) {
      const events = readEvents(await (await ask({ ...body, stream: true })).text());
      checkStream(events);
      for (const event of events) if (/item|image/.test(event.type)) checkEvent(event);
      return events;
    },
    async [Symbol.asyncDispose]() {
      assert.deepEqual(await gateway.storage.ledger.verify(), []);
      await gateway.stop();
      await writes.close();
      await paints.close();
    },
  };
}

const itemOf = (body: Read, type = 'service:image_generation') =>
  body.output.find((item: Read) => item.type === type);

for (const painter of Object.keys(painters) as Painter[]) {
  test(`a picture of ${painter} is shown to the client, and its address to the model`, async () => {
    await using world = await start([asks, answer], painter);
    const body = await world.read({ tools: [tool({ quality: 'low', aspect_ratio: '16:9' })] });
    const item = itemOf(body);
    assert.equal(item.error, undefined);
    assert.deepEqual([item.status, item.prompt, item.imageB64], ['completed', 'A dot.', png]);
    assert.match(item.imageUrl, /^\/api\/v1\/files\/file_hg_\w+\/content$/);
    const kept = await world.gateway.get(item.imageUrl);
    assert.equal(kept.headers.get('content-type'), 'image/png');
    assert.equal(Buffer.from(await kept.arrayBuffer()).toString('base64'), png);
    const [, second] = world.writes.requests;
    const { messages } = (second ?? assert.fail()).body as SentBody;
    const result = messages.at(-1)?.content ?? '';
    assert.deepEqual(JSON.parse(result), { status: 'ok', imageUrl: item.imageUrl });
    assert.ok(!JSON.stringify(second?.body).includes(png), 'pictures stay out of the conversation');
    assert.match(JSON.stringify(world.paints.requests[0]?.body), /low/);
    const { spentTotal } = await world.gateway.storage.ledger.balance(world.gateway.account.id);
    assert.ok(Math.abs(usdToNumber(spentTotal) - body.usage.cost) < 1e-9, 'the picture is charged');
  });
}

test('a stream shows the picture while it is made', async () => {
  await using world = await start([asks, answer], 'openai-responses');
  const events = await world.stream({ tools: [tool({ partial_images: 1 })] });
  const kinds = events.flatMap(({ type }) =>
    type.includes('image_generation_call') ? [type.split('.').at(-1)] : [],
  );
  assert.deepEqual(kinds, ['in_progress', 'generating', 'partial_image', 'completed']);
  const partial = events.find(({ type }) => type.endsWith('partial_image'));
  assert.deepEqual([typeof partial?.partial_image_b64, partial?.partial_image_index], ['string', 0]);
});

test('image_generation is answered in kind where no provider of the model has it', async () => {
  await using world = await start([asks, answer]);
  const tools = [{ type: 'image_generation', quality: 'low' }];
  const body = await world.read({ tools });
  const { status, result } = itemOf(body, 'image_generation_call');
  assert.deepEqual([status, result], ['completed', png]);
});

for (const painter of Object.keys(painters) as Painter[]) {
  for (const stream of [false, true]) {
    test(`what is no picture of ${painter} is an error that the model reads, and free${stream ? ', streamed' : ''}`, async () => {
      const nothing = Buffer.from('no picture').toString('base64');
      await using world = await start([asks, answer], painter, nothing);
      const asked = { tools: [tool()] };
      const body: Read = stream ? (await world.stream(asked)).at(-1)?.response : await world.read(asked);
      assert.match(itemOf(body).error, /cannot be read/);
      assert.equal(body.status, 'completed');
      // 20 and 5, 9 and 1 tokens at 3 and 15 USD per million, and nothing for the picture.
      assert.equal(body.usage.cost, 0.000177);
      const { spentTotal } = await world.gateway.storage.ledger.balance(world.gateway.account.id);
      assert.equal(usdToNumber(spentTotal), 0.000177);
    });
  }
}

test('in kind, a picture that failed is failed', async () => {
  await using world = await start(
    [asks, answer],
    'openai-chat',
    Buffer.from('no picture').toString('base64'),
  );
  const body = await world.read({ tools: [{ type: 'image_generation' }] });
  assert.equal(itemOf(body, 'image_generation_call').status, 'failed');
  const events = await world.stream({ tools: [{ type: 'image_generation' }] });
  assert.ok(events.length > 0);
});

test('a request makes ten pictures at most', async () => {
  const eleven = calls(
    ...Array.from({ length: 11 }, () => ['service_image_generation', { prompt: 'A dot.' }] as const),
  );
  await using world = await start([eleven, answer]);
  const body = await world.read({ tools: [tool()] });
  const items = body.output.filter(({ type }: Read) => type === 'service:image_generation');
  assert.equal(items.filter(({ error }: Read) => error !== undefined).length, 1);
  assert.equal(world.paints.requests.length, 10);
});

test('without a model that makes pictures the tool is refused, naming what to set', async () => {
  await using world = await start([asks, answer], 'openai-chat', png, 'acme/other');
  const body = await world.read({ tools: [tool()] });
  assert.equal(body.httpStatus, 400);
  assert.match(body.error.message, /tools\.image_generation\.model/);
  assert.equal((await world.read({ tools: [tool({ model: 'acme/none' })] })).httpStatus, 400);
  assert.equal((await world.read({ tools: [tool({ model: 'acme/other' })] })).httpStatus, 200);
});

test('a replayed picture goes back as a picture, its address as text', async () => {
  await using world = await start([answer]);
  const item = {
    type: 'service:image_generation',
    id: 'ig_1',
    status: 'completed',
    prompt: 'A dot.',
    imageB64: png,
    imageUrl: '/api/v1/files/file_hg_x/content',
  };
  const input = [{ role: 'user', content: 'Paint.' }, item, { role: 'user', content: 'And now?' }];
  assert.equal((await world.read({ tools: [tool()], input })).httpStatus, 200);
  const sent = JSON.stringify(world.writes.requests[0]?.body);
  assert.equal(sent.split(png).length, 2);
  assert.ok(!sent.includes('"url":"/api'), sent);
  assert.equal(world.paints.requests.length, 0);
});
