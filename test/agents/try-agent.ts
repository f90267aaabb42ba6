import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isObject } from '../../src/util/json.ts';
import type { DialectScript } from '../dialects/dialect-script.ts';
import { type Agent, task } from './agents.ts';
import { runAgent } from './run-agent.ts';
import { startScriptedModel } from './scripted-model.ts';

const programs = join(import.meta.dirname, '../../clients/agents/node_modules/.bin');

/** Lets an agent do the task over one dialect. Says `works`, or what went wrong. */
export async function tryAgent(agent: Agent, dialect: DialectScript): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-'));
  const work = join(folder, 'work');
  await mkdir(work);
  for (const [name, text] of Object.entries(task.before)) await writeFile(join(work, name), text);
  const model = await startScriptedModel(
    dialect,
    ({ turns, tools }) => {
      const done = turns.filter((turn) => 'output' in turn).length;
      const call = agent.calls(tools)[done];
      if (call === undefined)
        return { utterances: [{ say: ['Done.'] }], finish: 'stop', usage: { input: 90, output: 2 } };
      const given = JSON.stringify(call.arguments).replaceAll('{folder}', work);
      return {
        utterances: [
          { say: ['I go on.'] },
          { call: [{ id: `toolu_${done + 1}`, name: call.name, arguments: [given] }] },
        ],
        finish: 'tool_calls',
        usage: { input: 80, output: 9 },
      };
    },
    agent.silence,
  );
  try {
    const { gateway, provider } = model;
    const command = join(programs, agent.program);
    const { code, output } = await runAgent(
      { command, ...agent.run({ url: gateway.url, key: gateway.key }) },
      folder,
    );
    const wrong = Object.entries(task.after).filter(([name, text]) => read(join(work, name)) !== text);
    if (code === 0 && wrong.length === 0) return 'works';
    const refusals = gateway.log.filter((line) => /"msg":"request (refused|failed)"/.test(line));
    return [
      `exit ${code}, ${provider.bodies.length} requests, wrong: ${wrong.map(([name]) => name).join(', ')}`,
      ...refusals.map(shorten),
      output.slice(-1_500),
    ].join('\n');
  } finally {
    await model.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

function read(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

function shorten(line: string): string {
  const entry: unknown = JSON.parse(line);
  return isObject(entry) ? `${entry.path} ${entry.status} ${entry.reason}` : line;
}
