import { enableCompileCache } from 'node:module';
import { restartTuned, surviveLostOutput, tuneEngine } from './process/prepare-process.ts';

if (process.argv.includes('serve', 2)) {
  restartTuned();
  // They ask a running server for something; one that starts must not die of them.
  for (const signal of ['SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => undefined);
}
tuneEngine();
surviveLostOutput();
// Before anything else is loaded: the next start finds every module compiled.
enableCompileCache();

const [{ runCommandLine }, { openDatabase }, { systemClock }] = await Promise.all([
  import('./cli/run-command-line.ts'),
  import('./process/open-database.ts'),
  import('./ports/clock.ts'),
]);

const print = (text: string) => {
  process.stdout.write(text);
};

const warn = (text: string) => {
  process.stderr.write(text);
};

const exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdout: print,
  stderr: warn,
  clock: systemClock,
  openStorage: openDatabase,
  openCredentials: async (config, storage) => {
    const { openCredentialTools } = await import('./process/credential-tools.ts');
    return openCredentialTools(config, storage);
  },
  openDatabaseTools: async () => (await import('./process/database-tools.ts')).databaseTools,
  // Loaded when it is needed: the other commands start faster without the server.
  serve: async (config, options) => {
    const { serve } = await import('./process/serve.ts');
    return serve(config, options, { isTerminal: process.stdout.isTTY === true, print });
  },
});

process.exitCode ||= exitCode;

// The supervisor of a worker waits for its end, however early that came.
process.channel?.unref();
