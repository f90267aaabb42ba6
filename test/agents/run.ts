import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../../src/util/json.ts';
import { dialects } from '../dialects/dialects.ts';
import { type Agent, agents, greeting } from './agents.ts';
import { runAgent } from './run-agent.ts';
import { startScriptedModel } from './scripted-model.ts';

/**
 * Runs coding agents, unmodified, on a model that acts by a script: `npm run agents -- FOLDER [AGENT] [DIALECT]`. FOLDER is
 * where `npm install @anthropic-ai/claude-code @openai/codex opencode-ai` was run. Each writes a file with a tool of its own. Prints what
 * came of each, and exits with 1 when one failed.
 */
const [folder = '.', wantedAgent, wantedDialect] = process.argv.slice(2);
let failed = false;
for (const agent of agents.filter(({ name }) => wantedAgent === undefined || name === wantedAgent)) {
  for (const dialect of dialects.filter(
    ({ adapter }) => wantedDialect === undefined || adapter === wantedDialect,
  )) {
    const outcome = await tryAgent(agent, dialect);
    failed ||= outcome !== 'works';
    console.log(`${agent.name} over ${dialect.adapter} ${dialect.model ?? ''}: ${outcome}`);
  }
}
process.exit(failed ? 1 : 0);

async function tryAgent(agent: Agent, dialect: (typeof dialects)[number]): Promise<string> {
  const model = await startScriptedModel(dialect, (request) => {
    const call = request.turns.some((turn) => 'output' in turn) ? undefined : agent.call(request);
    if (call === undefined)
      return { utterances: [{ say: ['Done.'] }], finish: 'stop', usage: { input: 90, output: 2 } };
    const made = { id: 'toolu_1', name: call.name, arguments: [JSON.stringify(call.arguments)] };
    return {
      utterances: [{ say: ['I write it.'] }, { call: [made] }],
      finish: 'tool_calls',
      usage: { input: 80, output: 9 },
    };
  });
  try {
    const { gateway, provider } = model;
    const command = join(folder, 'node_modules/.bin', agent.program);
    const {
      code,
      output,
      folder: worked,
    } = await runAgent({ command, ...agent.run({ url: gateway.url, key: gateway.key }) });
    const file = join(worked, greeting.file);
    const written = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    if (code === 0 && written === greeting.text) return 'works';
    const refusals = gateway.log.filter((line) => /"msg":"request (refused|failed)"/.test(line));
    return [
      `exit ${code}, ${provider.bodies.length} requests`,
      ...refusals.map(shorten),
      output.slice(-1_500),
    ].join('\n');
  } finally {
    await model.close();
  }
}

function shorten(line: string): string {
  const entry: unknown = JSON.parse(line);
  return isObject(entry) ? `${entry.path} ${entry.status} ${entry.reason}` : line;
}
