import assert from 'node:assert/strict';
import type { DialectScript, ScriptedAnswer, Utterance } from '../dialect-script.ts';
import { type Application, applications, type Step } from '../support/history.ts';
import { askPublic, publicClients } from '../support/public-clients.ts';
import type { Stage } from '../support/stage.ts';
import { type Behaviour, modes } from './behaviour.ts';

const model = 'acme/atlas-4';
const parameters = { type: 'object', properties: { port: { type: 'string' } }, required: ['port'] };
const tools = [{ name: 'get_tide', parameters }];
const usage = { input: 30, output: 20, cacheRead: 10 };
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const sealOf = (turn: number) => Buffer.from(`the seal of turn ${turn}`).toString('base64');

/** Where Google's models think, they sign their calls. */
const signsCalls = ({ adapter, cannot }: DialectScript) =>
  adapter.startsWith('google') && cannot.has('signature');

/** How a provider of the dialect seals what it thinks; undefined where it seals nothing. */
function sealKind(dialect: DialectScript): 'signature' | 'encrypted' | undefined {
  const { cannot } = dialect;
  if (cannot.has('think')) return undefined;
  if (!cannot.has('signature') || signsCalls(dialect)) return 'signature';
  return cannot.has('encrypted') ? undefined : 'encrypted';
}

const citationOf = (turn: number) => ({
  type: 'url_citation' as const,
  url: `https://example.test/${turn}`,
  title: `Page ${turn}`,
  start_index: 12,
  end_index: 28,
});

/** A text whose middle is cited. */
function cited(turn: number): Utterance {
  return { say: [`Turn ${turn} says `, 'the tide is ', 'high', `, ${turn}.`], citations: [citationOf(turn)] };
}

/** The citations in the last request of a provider, in the form it gave them; empty where its requests have none. */
function citationsIn(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body.flatMap(citationsIn);
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) =>
    name === 'annotations' || (name === 'citations' && Array.isArray(value)) ? value : citationsIn(value),
  );
}

/** What a provider must get back of its own citations, each with the words it cites. */
function expectedCitations({ adapter, cannot }: DialectScript): readonly unknown[] {
  const turns = [1, 2, 3].map(citationOf);
  const takesAnnotations = adapter === 'openai-responses' || adapter === 'azure-openai';
  if (takesAnnotations) return cannot.has('encrypted') ? [] : turns;
  const takesBlocks = adapter === 'anthropic-messages' || adapter === 'google-vertex';
  if (!takesBlocks || cannot.has('signature')) return [];
  return turns.map(({ url, title }) => ({
    type: 'web_search_result_location',
    url,
    title,
    encrypted_index: 'E',
    cited_text: '',
  }));
}

function callOf(dialect: DialectScript, turn: number): ScriptedAnswer {
  const call = { id: `call_${turn}`, name: 'get_tide', arguments: ['{"port":', `"Port ${turn}"}`] };
  const kind = sealKind(dialect);
  const think = [`Thought ${turn}, `, 'to its end.'];
  const thought: Utterance = { think, ...(kind !== undefined && { [kind]: sealOf(turn) }) };
  const said = cited(turn);
  const thinking = signsCalls(dialect) ? [thought] : [thought, said];
  const utterances = dialect.cannot.has('think') ? [said] : thinking;
  return { utterances: [...utterances, { call: [call] }], finish: 'tool_calls', usage };
}

/** One turn in the words of an application; what came is added to the conversation, with the output of its call. */
async function take(
  { gateway }: Stage,
  application: Application,
  steps: readonly Step[],
  turn: number,
  stream: boolean,
): Promise<readonly Step[]> {
  const client = publicClients.find(({ name }) => name === application.name);
  assert.ok(client);
  const body = { model, ...application.body(steps, tools), stream };
  const { status, body: answer, raw } = await askPublic(gateway, client, body);
  assert.equal(status, 200, raw);
  const came = application.read(answer);
  const call = came.find(({ kind }) => kind === 'call');
  assert.ok(call?.kind === 'call', raw);
  return [...steps, ...came, { kind: 'output', id: call.id, text: `High at ${turn}.`, picture }];
}

/** Every order in which three dialects can take turns. */
const orders: readonly (readonly number[])[] = [
  [0, 1, 2],
  [2, 1, 0],
  [1, 2, 0],
];

/** Conversations whose turns come through one public dialect after the other. */
export const mixedConversations: readonly Behaviour[] = [
  {
    name: 'a conversation moves between public dialects without loss',
    async run(stage) {
      for (const { stream } of modes) {
        for (const order of orders) await converse(stage, order, stream);
      }
    },
  },
];

async function converse(stage: Stage, order: readonly number[], stream: boolean): Promise<void> {
  const { dialect, provider } = stage;
  let steps: readonly Step[] = [{ kind: 'user', text: 'When is high tide?', cached: true }];
  for (const [at, which] of order.entries()) {
    stage.say(callOf(dialect, at + 1));
    const application = applications[which];
    assert.ok(application);
    steps = await take(stage, application, steps, at + 1, stream);
  }
  // Whoever goes on, the provider gets what it said itself: thoughts with seals, calls, outputs, pictures, marks.
  stage.say(callOf(dialect, 4));
  const bodies: string[] = [];
  for (const application of applications) {
    await take(stage, application, steps, 4, stream);
    bodies.push(JSON.stringify(provider.bodies.at(-1)));
    const { turns } = stage.lastSeen;
    const thoughts = turns.flatMap((turn) => ('thinking' in turn ? [turn.thinking] : []));
    const seals = thoughts.flatMap(({ signature, encrypted }) => signature ?? encrypted ?? []);
    assert.deepEqual(seals, sealKind(dialect) === undefined ? [] : [1, 2, 3].map(sealOf), application.name);
    assert.deepEqual(citationsIn(provider.bodies.at(-1)), expectedCitations(dialect), application.name);
    assert.equal(turns.filter((turn) => 'call' in turn).length, 3);
    assert.equal(turns.filter((turn) => 'output' in turn).length, 3);
  }
  for (const body of bodies.slice(1)) assert.equal(body, bodies[0]);
}
