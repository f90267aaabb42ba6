import { join } from 'node:path';
import { startProgram, untilFinished } from '../e2e/support/programs.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';

const script = join(import.meta.dirname, '../../scripts/entity-analyzer.sh');

/** A real analyzer with a small English model. */
export interface RealAnalyzer extends AsyncDisposable {
  readonly url: string;
}

/** Starts one on a free port, installing it first where that was never done. */
export async function startRealAnalyzer(): Promise<RealAnalyzer> {
  const port = await freePort();
  const program = startProgram('bash', [script], {
    env: { ...process.env, ENTITY_ANALYZER_PORT: String(port) },
  });
  const url = `http://127.0.0.1:${port}`;
  await eventually(
    'an analyzer that answers',
    async () => {
      const end = program.child.exitCode ?? program.child.signalCode;
      if (end !== null) throw new Error(`entity-analyzer.sh ended with ${end}:\n${program.stderr}`);
      const answer = await fetch(`${url}/health`).catch(() => undefined);
      return answer?.ok === true;
    },
    300_000,
  );
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      program.child.kill('SIGTERM');
      await untilFinished(program);
    },
  };
}
