import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ScriptedAnswer } from '../dialects/dialect-script.ts';
import { dialects } from '../dialects/dialects.ts';
import { askPublic, publicClients } from '../dialects/support/public-clients.ts';
import { type Stage, setStage } from '../dialects/support/stage.ts';
import { checkContract } from '../support/contract.ts';

const usage = { input: 30, output: 20 };
const name = 'service_datetime';
const calling: ScriptedAnswer = {
  utterances: [{ say: ['Let me see.'] }, { call: [{ id: 'call_a1', name, arguments: ['{', '}'] }] }],
  finish: 'tool_calls',
  usage,
};
const answering: ScriptedAnswer = { utterances: [{ say: ['It is ', 'late.'] }], finish: 'stop', usage };

const tools = [{ type: 'service:datetime', parameters: { timezone: 'Asia/Tokyo' } }];
const schemas: Readonly<Record<string, string>> = {
  responses: 'OpenResponsesResult',
  chat: 'ChatResult',
  messages: 'MessagesResult',
};

describe('a tool of the gateway runs for every model, in every public dialect', { concurrency: 2 }, () => {
  for (const dialect of dialects) {
    describe(dialect.adapter, { concurrency: 1 }, () => {
      let stage: Stage & { readonly strike: () => Promise<void> };
      before(async () => {
        stage = await setStage(dialect);
      });
      after(() => stage.strike());

      for (const client of publicClients) {
        for (const stream of [false, true]) {
          test(`${client.name}${stream ? ', streamed' : ''}`, async () => {
            stage.say(calling, answering);
            const body = { ...client.body({ text: 'Hello' }, 'acme/atlas-4'), tools, stream };
            const { status, body: answer, raw } = await askPublic(stage.gateway, client, body);
            assert.equal(status, 200, raw);
            if (!stream) checkContract(schemas[client.name] ?? '', answer);
            const said = client.read(answer);
            assert.equal(said.text.replaceAll('\n\n', ''), 'Let me see.It is late.');
            assert.deepEqual(said.calls, []);
            assert.equal(said.ending, 'stop');
            assert.equal(said.input, 60);
            assert.deepEqual(
              stage.lastSeen.tools.map((tool) => tool.name),
              [name],
            );
            const outputs = stage.lastSeen.turns.flatMap((turn) =>
              'output' in turn ? turn.output.text : [],
            );
            assert.equal(outputs.length, 1);
            assert.match(outputs[0] ?? '', /^\{"datetime":"20\d\d-.*\+09:00","timezone":"Asia\/Tokyo"\}$/);
          });
        }
      }
    });
  }
});
