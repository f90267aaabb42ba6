import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { googleGemini } from './google-gemini.ts';
import { askPublic, publicClients } from './support/public-clients.ts';
import { type Stage, setStage } from './support/stage.ts';

const model = 'acme/atlas-4';
const parameters = { type: 'object', properties: { port: { type: 'string' } } };
const signatures = ['Zmlyc3Qgc2VhbA==', 'c2Vjb25kIHNlYWw='] as const;
const ports = ['Brest', 'Cork'] as const;

let stage: Stage & { readonly strike: () => Promise<void> };
before(async () => {
  stage = await setStage(googleGemini);
});
after(() => stage.strike());

/** Two parallel calls, each with a seal of its own. */
function twoCalls(): void {
  const parts = ports.map((port, at) => ({
    functionCall: { id: `call_${at}`, name: 'tide', args: { port } },
    thoughtSignature: signatures[at],
  }));
  const answer = {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 7, totalTokenCount: 16 },
  };
  stage.deliver(({ streamed }) => ({
    status: 200,
    headers: { 'content-type': streamed ? 'text/event-stream' : 'application/json' },
    body: [Buffer.from(streamed ? `data: ${JSON.stringify(answer)}\r\n\r\n` : JSON.stringify(answer))],
  }));
}

/** The seal of each call in the newest request, by its port. */
function sentSeals(): Readonly<Record<string, string | undefined>> {
  // biome-ignore lint/suspicious/noExplicitAny: a body of the provider.
  const { contents } = stage.provider.bodies.at(-1) as any;
  // biome-ignore lint/suspicious/noExplicitAny: a body of the provider.
  const parts = contents.flatMap((content: any) => content.parts).filter((part: any) => part.functionCall);
  // biome-ignore lint/suspicious/noExplicitAny: a body of the provider.
  return Object.fromEntries(parts.map((part: any) => [part.functionCall.args.port, part.thoughtSignature]));
}

const expected = { Brest: signatures[0], Cork: signatures[1] };
const [, chat, messages] = publicClients;
const tools = [{ name: 'tide', parameters }];

for (const stream of [false, true]) {
  test(`chat: each seal returns at its own call, by details or by extra_content${stream ? ', streamed' : ''}`, async () => {
    assert.ok(chat);
    twoCalls();
    const first = await askPublic(stage.gateway, chat, {
      ...chat.body({ text: 'Hi', tools }, model),
      stream,
    });
    // biome-ignore lint/suspicious/noExplicitAny: a body of the wire.
    const { message } = (first.body as any).choices[0];
    const outputs = message.tool_calls.map(({ id }: { id: string }) => ({
      role: 'tool',
      tool_call_id: id,
      content: 'high',
    }));
    const { reasoning_details: details, ...bare } = message;
    assert.equal(details.length, 2);
    const withoutExtra = bare.tool_calls.map(
      ({ extra_content: _, ...call }: object & { extra_content?: unknown }) => call,
    );
    for (const replayed of [
      message,
      bare,
      { ...bare, reasoning_details: details, tool_calls: withoutExtra },
    ]) {
      const conversation = [{ role: 'user', content: 'Hi' }, replayed, ...outputs];
      const body = { ...chat.body({ text: 'Hi', tools }, model), messages: conversation };
      const { status, raw } = await askPublic(stage.gateway, chat, body);
      assert.equal(status, 200, raw);
      assert.deepEqual(sentSeals(), expected);
    }
  });

  test(`messages: each seal returns at its own call${stream ? ', streamed' : ''}`, async () => {
    assert.ok(messages);
    twoCalls();
    const first = await askPublic(stage.gateway, messages, {
      ...messages.body({ text: 'Hi', tools }, model),
      stream,
    });
    // biome-ignore lint/suspicious/noExplicitAny: a body of the wire.
    const { content } = first.body as any;
    const uses = content.filter(({ type }: { type: string }) => type === 'tool_use');
    assert.equal(uses.length, 2);
    const results = uses.map(({ id }: { id: string }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: 'high',
    }));
    const body = {
      ...messages.body({ text: 'Hi', tools }, model),
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content },
        { role: 'user', content: results },
      ],
    };
    const { status, raw } = await askPublic(stage.gateway, messages, body);
    assert.equal(status, 200, raw);
    assert.deepEqual(sentSeals(), expected);
  });
}
