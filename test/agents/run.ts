import { parseArgs } from 'node:util';
import { dialects } from '../dialects/dialects.ts';
import { agents } from './agents.ts';
import { tryAgent } from './try-agent.ts';

/**
 * Runs coding agents, unmodified, on a model that acts by a script: `npm run agents`. Each edits a file and runs a command
 * with tools of its own. `--agent NAME` and `--dialect ADAPTER` choose; `--quick` tries each agent on one dialect, another one
 * for each. Prints what came of each, and exits with 1 when one failed.
 */
const { values } = parseArgs({
  options: { agent: { type: 'string' }, dialect: { type: 'string' }, quick: { type: 'boolean' } },
});
const quickly = ['google-gemini', 'anthropic-messages', 'openai-chat'];
let failed = false;
for (const [at, agent] of agents.entries()) {
  if (values.agent !== undefined && agent.name !== values.agent) continue;
  const adapter = values.quick === true ? quickly[at] : values.dialect;
  for (const dialect of dialects.filter((one) => adapter === undefined || one.adapter === adapter)) {
    const began = Date.now();
    const outcome = await tryAgent(agent, dialect);
    failed ||= outcome !== 'works';
    const seconds = ((Date.now() - began) / 1_000).toFixed(1);
    console.log(`${agent.name} over ${dialect.adapter} ${dialect.model ?? ''}: ${outcome} (${seconds} s)`);
  }
}
process.exit(failed ? 1 : 0);
