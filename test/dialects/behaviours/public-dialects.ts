import assert from 'node:assert/strict';
import { checkContract } from '../../support/contract.ts';
import type { ScriptedAnswer, ScriptedFailure, ScriptedUsage, Utterance } from '../dialect-script.ts';
import { type Asked, askPublic, type PublicClient, publicClients } from '../support/public-clients.ts';
import { type Behaviour, modes } from './behaviour.ts';

const model = 'acme/atlas-4';
const parameters = { type: 'object', properties: { port: { type: 'string' } }, required: ['port'] };
const tools = [
  { name: 'get_tide', parameters },
  { name: 'get_wind', parameters },
];
const called = [
  { id: 'call_a1', name: 'get_tide', input: { port: 'Brest' }, output: 'High at noon.' },
  { id: 'call_b2', name: 'get_wind', input: { port: 'Calais' }, output: 'None.' },
];
const allUsage = { input: 30, output: 20, reasoning: 6, cacheRead: 10 };
const signature = 'RXZlcnkgbGV0dGVyLCBieXRlIGZvciBieXRlLg+/aBcDeF0123456789==';
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const link = {
  type: 'url_citation',
  url: 'https://example.test/a',
  title: 'A',
  start_index: 0,
  end_index: 4,
} as const;

/** An answer, with what a provider of the dialect has to be able to make. */
interface Case extends Pick<Behaviour, 'says' | 'uses'> {
  readonly name: string;
  readonly asked?: Partial<Asked>;
  readonly utterances: readonly Utterance[];
  readonly finish?: ScriptedAnswer['finish'];
  /** Default: every count. */
  readonly usage?: ScriptedUsage | 'none';
}

const cases: readonly Case[] = [
  { name: 'text', utterances: [{ say: ['Good ', 'day, ', 'señor 🚢.'] }] },
  {
    name: 'everything that all of them can ask',
    asked: { system: 'Be brief.', tools, called, picture, temperature: 0.5, maxTokens: 400 },
    utterances: [{ say: ['Yes.'] }],
  },
  {
    name: 'an answer by a schema',
    asked: { schema: { ...parameters, additionalProperties: false } },
    utterances: [{ say: ['{"port":', '"Brest"}'] }],
    uses: ['text.json_schema'],
  },
  {
    name: 'thoughts',
    says: ['think'],
    asked: { effort: 'medium' },
    utterances: [{ think: ['7 times ', '6 is 42.'] }, { say: ['42', '.'] }],
  },
  {
    name: 'signed thoughts before a call',
    says: ['think', 'signature'],
    asked: { effort: 'medium', tools },
    utterances: [
      { think: ['Hm.'], signature },
      { call: [{ id: 'call_a1', name: 'get_tide', arguments: ['{"port":"Brest"}'] }] },
    ],
    finish: 'tool_calls',
  },
  {
    name: 'a summary of thoughts',
    says: ['summarize'],
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
  { name: 'a refusal', says: ['refuse'], utterances: [{ refuse: ['I ', 'cannot.'] }] },
  {
    name: 'a citation',
    says: ['citations'],
    utterances: [{ say: ['Here it is.'], citations: [link] }],
  },
  {
    name: 'a limit that cuts off',
    asked: { maxTokens: 100 },
    utterances: [{ say: ['Once upon'] }],
    finish: 'length',
  },
  { name: 'a filter that cuts off', utterances: [{ say: ['Once upon'] }], finish: 'content_filter' },
  { name: 'nothing at all', utterances: [] },
  { name: 'usage that never comes', utterances: [{ say: ['Free?'] }], usage: 'none' },
];

const schemas: Readonly<Record<string, string>> = {
  responses: 'OpenResponsesResult',
  chat: 'ChatResult',
  messages: 'MessagesResult',
};

/** Tries each public dialect, streamed and not; what `tried` returns must be the same every time. */
async function inEach(tried: (client: PublicClient, stream: boolean) => Promise<unknown>): Promise<void> {
  for (const { stream } of modes) {
    const seen: unknown[] = [];
    for (const client of publicClients) seen.push(await tried(client, stream));
    for (const other of seen.slice(1)) assert.deepEqual(other, seen[0]);
  }
}

/** A chat answer without what is made anew for each, and without members that say nothing. */
function bare(answer: unknown): string {
  const { choices, usage } = answer as { choices?: unknown; usage?: unknown };
  return JSON.stringify([choices, usage], (name, value) => {
    if (name === 'id' || value === null || (name === 'content' && value === '')) return undefined;
    if (typeof value !== 'object' || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

function sameAnswer({ name, says, uses, asked = {}, utterances, finish = 'stop', usage }: Case): Behaviour {
  const counts = usage === 'none' ? undefined : (usage ?? allUsage);
  return {
    name: `the same in all public dialects: ${name}`,
    ...(says && { says }),
    ...(uses && { uses }),
    async run(stage) {
      const { gateway, provider } = stage;
      stage.say({ utterances, finish, ...(counts && { usage: counts }) });
      const wholes = new Map<string, string>();
      await inEach(async (client, stream) => {
        const body = { ...client.body({ text: 'Hello', ...asked }, model), stream };
        const { status, headers, body: answer, raw } = await askPublic(gateway, client, body);
        assert.equal(status, 200, raw);
        const schema = schemas[client.name];
        if (!stream && schema !== undefined) checkContract(schema, answer);
        // A stream adds up to the body that is given unstreamed.
        if (!stream) wholes.set(client.name, bare(answer));
        else if (client.name === 'chat') assert.equal(bare(answer), wholes.get(client.name));
        const said = client.read(answer);
        const record = await gateway.storage.generations.find(headers.get('x-generation-id') ?? '');
        assert.equal(Number(record?.cost) / 1e9, said.cost);
        return { said, sent: JSON.stringify(provider.bodies.at(-1)) };
      });
    },
  };
}

const failing: readonly ScriptedFailure[] = ['rate_limit', 'overloaded', 'context_length', 'invalid_request'];

function sameFailure(kind: ScriptedFailure): Behaviour {
  return {
    name: `the same in all public dialects: refused with ${kind}`,
    async run(stage) {
      stage.deliver(stage.dialect.failure(kind, 'Said the provider.', kind === 'rate_limit' ? 7 : undefined));
      await inEach(async (client, stream) => {
        const asked = { ...client.body({ text: 'Hello' }, model), stream };
        const { status, headers, body } = await askPublic(stage.gateway, client, asked);
        assert.ok(status >= 400, `${status}`);
        // biome-ignore lint/suspicious/noExplicitAny: bodies of two forms.
        const { error, metadata } = body as any;
        const { error_type, ...known } = { error_type: error.error_type, ...(error.metadata ?? metadata) };
        // Messages says first, in the words of its agents, that a prompt is too long.
        const message = error.message.replace(/^prompt is too long.*?: prompt_too_long\)\. /, '');
        return { status, error_type, known, message, retry: headers.get('retry-after') };
      });
    },
  };
}

/** How public dialects agree, over a provider of the dialect on the stage. */
export const publicDialects: readonly Behaviour[] = [
  ...cases.map(sameAnswer),
  ...failing.map(sameFailure),
  {
    name: 'the same in all public dialects: a failure in the middle',
    async run(stage) {
      const { dialect, gateway } = stage;
      const usage = { input: 9, output: 7 };
      const answer = dialect.answer(
        { utterances: [{ say: ['It was a dark ', 'night.'] }], finish: 'stop', usage },
        true,
      );
      const first = answer.body.findIndex((piece) => piece.includes('dark'));
      stage.deliver({ ...answer, body: [...answer.body.slice(0, first + 1), dialect.malformedEvent()] });
      const seen: unknown[] = [];
      for (const client of publicClients) {
        const response = await fetch(gateway.url + client.path, {
          method: 'POST',
          headers: { authorization: `Bearer ${gateway.key}` },
          body: JSON.stringify({ ...client.body({ text: 'Hello' }, model), stream: true }),
        });
        const broken = client.broken(await response.text());
        const id = response.headers.get('x-generation-id') ?? '';
        const record = await gateway.storage.generations.find(id);
        seen.push({ status: response.status, ...broken, cost: record?.cost, usage: record?.usage });
      }
      for (const other of seen.slice(1)) assert.deepEqual(other, seen[0]);
      assert.partialDeepStrictEqual(seen[0], { status: 200, errorType: 'provider_unavailable' });
    },
  },
];
