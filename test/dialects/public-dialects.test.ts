import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { checkContract } from '../support/contract.ts';
import type { ScriptedAnswer, Utterance } from './dialect-script.ts';
import { dialects } from './dialects.ts';
import { type Asked, askPublic, type PublicClient, publicClients } from './support/public-clients.ts';
import { type Stage, setStage } from './support/stage.ts';

const parameters = { type: 'object', properties: { port: { type: 'string' } }, required: ['port'] };
const tools = [
  { name: 'get_tide', parameters },
  { name: 'get_wind', parameters },
];
const usage = { input: 30, output: 20, reasoning: 6, cacheRead: 10 };
const signature = 'RXZlcnkgbGV0dGVyLCBieXRlIGZvciBieXRlLg+/aBcDeF0123456789==';
const link = {
  type: 'url_citation',
  url: 'https://example.test/a',
  title: 'A',
  start_index: 0,
  end_index: 4,
} as const;

/** An answer, with what a provider of the dialect has to be able to make. */
interface Case {
  readonly name: string;
  readonly needs?: readonly string[];
  readonly asked?: Partial<Asked>;
  readonly utterances: readonly Utterance[];
  readonly finish?: ScriptedAnswer['finish'];
}

const cases: readonly Case[] = [
  { name: 'text', utterances: [{ say: ['Good ', 'day, ', 'señor 🚢.'] }] },
  { name: 'a system text', asked: { system: 'Be brief.' }, utterances: [{ say: ['Yes.'] }] },
  {
    name: 'thoughts',
    needs: ['think'],
    asked: { effort: 'medium' },
    utterances: [{ think: ['7 times ', '6 is 42.'] }, { say: ['42', '.'] }],
  },
  {
    name: 'signed thoughts',
    needs: ['think', 'signature'],
    asked: { effort: 'medium' },
    utterances: [{ think: ['Hm.'], signature }, { say: ['Well.'] }],
  },
  {
    name: 'a summary of thoughts',
    needs: ['summarize'],
    asked: { effort: 'medium' },
    utterances: [{ summarize: ['Thought ', 'a while.'] }, { say: ['Done.'] }],
  },
  {
    name: 'text and two calls',
    asked: { tools },
    utterances: [
      { say: ['Let me see.'] },
      {
        call: [
          { id: 'call_a1', name: 'get_tide', arguments: ['{"port":', '"Brest"}'] },
          { id: 'call_b2', name: 'get_wind', arguments: ['{"po', 'rt":"Cal', 'ais"}'] },
        ],
      },
    ],
    finish: 'tool_calls',
  },
  { name: 'a refusal', needs: ['refuse'], utterances: [{ refuse: ['I ', 'cannot.'] }] },
  {
    name: 'a citation',
    needs: ['citations'],
    utterances: [{ say: ['Here it is.'], citations: [link] }],
  },
  {
    name: 'an answer that a limit cut off',
    asked: { maxTokens: 100 },
    utterances: [{ say: ['Once upon'] }],
    finish: 'length',
  },
  { name: 'nothing at all', utterances: [] },
];

const schemas: Readonly<Record<string, string>> = {
  responses: 'OpenResponsesResult',
  chat: 'ChatResult',
  messages: 'MessagesResult',
};

describe('every public dialect says the same', { concurrency: 5 }, () => {
  for (const dialect of dialects) {
    describe(dialect.adapter, { concurrency: 1 }, () => {
      let stage: Stage & { readonly strike: () => Promise<void> };
      before(async () => {
        stage = await setStage(dialect);
      });
      after(() => stage.strike());

      for (const one of cases) {
        test(one.name, async (context) => {
          const { needs = [] } = one;
          const isSayable = !needs.some((need) => dialect.cannot.has(need as 'think'));
          if (isSayable) await compare(stage, one);
          else context.diagnostic('a provider of this dialect cannot say it');
        });
      }
    });
  }
});

/** Asks in every public dialect, streamed and not, and compares what arrives at both ends. */
async function compare(stage: Stage, { asked = {}, utterances, finish = 'stop' }: Case): Promise<void> {
  stage.say({ utterances, finish, usage });
  for (const stream of [false, true]) {
    const seen: unknown[] = [];
    for (const client of publicClients) seen.push(await ask(stage, client, asked, stream));
    for (const other of seen.slice(1)) assert.deepEqual(other, seen[0]);
  }
}

async function ask(stage: Stage, client: PublicClient, asked: Partial<Asked>, stream: boolean) {
  const body = { ...client.body({ text: 'Hello', ...asked }, 'acme/atlas-4'), stream };
  const { status, body: answer, raw } = await askPublic(stage.gateway, client, body);
  assert.equal(status, 200, raw);
  const schema = schemas[client.name];
  if (!stream && schema !== undefined) checkContract(schema, answer);
  const { turns, system, tools: offered, maxOutputTokens } = stage.lastSeen;
  return { said: client.read(answer), sent: { turns, system, offered, maxOutputTokens } };
}
