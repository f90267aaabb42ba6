import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { startProgram, untilFinished } from './programs.ts';

const script = join(import.meta.dirname, '../../../scripts/real-model.sh');

/** A real, very small language model behind a real inference server. */
export interface RealModel extends AsyncDisposable {
  /** Without a path. */
  readonly url: string;
}

/**
 * Starts the model on a free port, installing it first where that was never done.
 * @param options `--embeddings` to serve its vectors.
 */
export async function startRealModel(...options: readonly string[]): Promise<RealModel> {
  const port = await freePort();
  const program = startProgram('bash', [script, ...options], {
    env: { ...process.env, REAL_MODEL_PORT: String(port) },
  });
  const url = `http://127.0.0.1:${port}`;
  await eventually(
    'a model that answers',
    async () => {
      const { exitCode, signalCode } = program.child;
      // A signal where the processor has no instructions that the server was built with.
      const end = exitCode ?? signalCode;
      if (end !== null) throw new Error(`real-model.sh ended with ${end}:\n${program.stderr}`);
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
