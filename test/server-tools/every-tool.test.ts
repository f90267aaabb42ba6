import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Secret } from '../../src/util/secret.ts';
import type { ScriptedAnswer, SeenRequest } from '../dialects/dialect-script.ts';
import { dialects } from '../dialects/dialects.ts';
import { type Stage, setStage } from '../dialects/support/stage.ts';
import { checkStream } from '../stream-checker.ts';
import { configOf } from '../support/gateway.ts';
import { noBubblewrap, smallLimits } from './bubblewrap-here.ts';
import { type LocalSite, sendJson, startSite } from './local-site.ts';
import { checkEvent, type Read } from './tool-world.ts';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const usage = { input: 30, output: 20 };
const model = 'acme/atlas-4';

/** One way to use each tool that every model can be offered, and what its item must say. */
interface Use {
  readonly tool: object;
  readonly input: object;
  /** Functions of the client beside it. */
  readonly others?: readonly object[];
  /** Whether the client has to act then. */
  readonly ends?: true;
  /** Why it cannot be used on this machine; false where it can. */
  readonly skip?: string | false;
  readonly check: (item: Read, stage: Stage) => void;
}

const settled = (item: Read) => assert.equal(item.error, undefined);
const uses: Readonly<Record<string, Use>> = {
  'service:datetime': { tool: {}, input: {}, check: ({ timezone }) => assert.equal(timezone, 'UTC') },
  'service:experimental__search_models': { tool: {}, input: { query: 'atlas' }, check: settled },
  'service:web_search': {
    tool: {},
    input: { query: 'tides' },
    check: ({ action }) => assert.equal(action.sources[0].url, 'https://sea.example/a'),
  },
  'service:web_fetch': {
    tool: {},
    input: { url: '{site}/page' },
    check: ({ content }) => assert.match(content, /High water/),
  },
  'service:files': {
    tool: {},
    input: { operation: 'write', filename: 'a.txt', content: 'x' },
    check: ({ file_id }) => assert.match(file_id, /^file_hg_/),
  },
  'service:advisor': {
    tool: { model },
    input: { prompt: 'Well?' },
    check: ({ advice }) => assert.equal(advice, 'Inner words.'),
  },
  'service:subagent': {
    tool: { model },
    input: { task_name: 'look', task_description: 'Look.' },
    check: ({ outcome }) => assert.equal(outcome, 'Inner words.'),
  },
  'service:fusion': {
    tool: { analysis_models: [model], model, tools: [] },
    input: { prompt: 'Well?' },
    check: ({ responses }) => assert.deepEqual(responses, [{ model, content: 'Inner words.' }]),
  },
  'service:image_generation': {
    tool: { model },
    input: { prompt: 'A dot.' },
    check: ({ imageB64, error }, { support }) =>
      // Where the model of the dialect makes no pictures, the tool reports that.
      support['modalities.image'] === 'refused' ? assert.ok(error) : assert.equal(imageB64, png),
  },
  'service:tool_search': {
    tool: {},
    input: { query: 'tides' },
    others: [{ type: 'function', name: 'get_tides', defer_loading: true }],
    check: ({ tools }) => assert.deepEqual(tools, ['get_tides']),
  },
  'service:shell': {
    tool: {},
    input: { commands: ['echo high water', 'exit 3'] },
    skip: noBubblewrap,
    check: ({ output }) =>
      assert.deepEqual(
        output.map(({ stdout, outcome }: Read) => [stdout, outcome]),
        [
          ['high water\n', { type: 'exit', exit_code: 0 }],
          ['', { type: 'exit', exit_code: 3 }],
        ],
      ),
  },
  'service:bash': {
    tool: { engine: 'service' },
    input: { command: 'echo high water' },
    skip: noBubblewrap,
    check: ({ stdout, exitCode }) => assert.deepEqual([stdout, exitCode], ['high water\n', 0]),
  },
  'service:apply_patch': {
    tool: {},
    input: { type: 'delete_file', path: 'a.txt' },
    ends: true,
    check: ({ operation }) => assert.equal(operation.path, 'a.txt'),
  },
};

const say = (...texts: string[]): ScriptedAnswer => ({ utterances: [{ say: texts }], finish: 'stop', usage });
const tested = new Set(['openai-chat', 'anthropic-messages', 'google-gemini', 'openai-responses']);

let site: LocalSite;
before(async () => {
  site = await startSite(({ url }, response) => {
    if (url.startsWith('/page')) response.end('High water at noon.');
    else
      sendJson(response, { results: [{ url: 'https://sea.example/a', title: 'A', highlights: ['Noon.'] }] });
  });
});
after(() => site[Symbol.asyncDispose]());

/** A model that calls the tool once, and says something in every request that does not offer it. */
const player =
  (name: string, input: object) =>
  (request: SeenRequest): ScriptedAnswer => {
    const isOffered = request.tools.some((tool) => tool.name === name);
    const hasResult = request.turns.some((turn) => 'output' in turn);
    if (!isOffered) {
      return name === 'service_image_generation'
        ? { utterances: [{ picture: png }], finish: 'stop', usage }
        : say('Inner ', 'words.');
    }
    if (hasResult) return say('Well ', 'then.');
    const text = JSON.stringify(input).replace('{site}', site.url);
    return {
      utterances: [{ call: [{ id: 'call_a1', name, arguments: [text] }] }],
      finish: 'tool_calls',
      usage,
    };
  };

/** Has the model use a tool once, and checks everything that all tools have in common. */
async function use(
  stage: Stage,
  type: string,
  asked: { readonly tools: readonly object[]; readonly stream: boolean },
): Promise<Read> {
  stage.say(player(type.replace(/\W/g, '_'), uses[type]?.input ?? {}));
  const { status, body, events } = await stage.ask(asked);
  assert.equal(status, 200, JSON.stringify(body));
  if (asked.stream) {
    checkStream(events);
    for (const event of events) if (/item|_call/.test(event.type)) checkEvent(event);
  }
  if (uses[type]?.ends === undefined) assert.equal(body.output.at(-1).content[0].text, 'Well then.');
  assert.equal(body.usage.server_tool_use_details.tool_calls_executed, 1);
  return body;
}

function itemOf(body: Read, type: string): Read {
  const item = body.output.find((one: Read) => one.type === type);
  assert.ok(item, JSON.stringify(body.output));
  return item;
}

/** Sends everything back, as clients do: nothing runs again. */
async function replay(stage: Stage, tools: readonly object[], body: Read): Promise<void> {
  const asked = stage.provider.seen.length;
  const isPatch = body.output.some((one: Read) => one.type === 'service:apply_patch');
  const result = { type: 'apply_patch_call_output', call_id: 'call_a1', status: 'completed' };
  const user = (content: string) => ({ role: 'user', content });
  const input = [user('Hello'), ...body.output, ...(isPatch ? [result] : []), user('And?')];
  const again = await stage.ask({ tools, input });
  assert.equal(again.status, 200, JSON.stringify(again.body));
  assert.equal(stage.provider.seen.length, asked + 1);
  assert.equal(again.body.usage.server_tool_use_details?.tool_calls_executed ?? 0, 0);
}

for (const dialect of dialects.filter(({ adapter }) => tested.has(adapter))) {
  describe(`every tool over ${dialect.adapter}`, () => {
    let stage: Stage & { readonly strike: () => Promise<void> };
    before(async () => {
      const { tools } = configOf({ models: [] });
      const engine = { engine: 'exa', baseUrl: site.url, apiKey: new Secret('engine-key') } as const;
      const egress = { ...tools.egress, allow: [`127.0.0.1:${site.port}`] };
      const sandbox = { ...tools.sandbox, driver: 'bubblewrap', limits: smallLimits } as const;
      stage = await setStage(dialect, {
        tools: { ...tools, webSearch: { engines: [engine] }, egress, sandbox },
      });
    });
    after(async () => {
      assert.deepEqual(await stage.gateway.storage.ledger.verify(), []);
      await stage.strike();
    });

    for (const [type, { tool, others = [], check, skip = false }] of Object.entries(uses)) {
      const tools = [...others, { type, parameters: tool }];
      for (const stream of [false, true]) {
        test(`${type}${stream ? ', streamed' : ''}, and replayed`, { skip }, async () => {
          const body = await use(stage, type, { tools, stream });
          check(itemOf(body, type), stage);
          await replay(stage, tools, body);
        });
      }
    }
  });
}
