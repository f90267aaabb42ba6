import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startTarget } from '../hostile/target-server.ts';
import { seeds } from './bodies.ts';
import { mutate, seededNumbers } from './mutate.ts';
import { startUnused } from './unused-provider.ts';

const help = `npm run fuzz -- [options]
  --count N      bodies to send; default 5000
  --seed N       default 1
`;
/** Requests at a time. */
const atOnce = 16;
/** Management calls that a key has in a minute; further bodies go to the routes of inference. */
const mostManaged = 55;
/** Faults that are shown. */
const mostShown = 10;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '5000' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) process.stdout.write(help);
else await main(Number(values.count), Number(values.seed));

/** Sends mutated bodies to a server and fails on every answer that is not one of its documented refusals. */
async function main(count: number, seed: number): Promise<void> {
  // The models of the sandbox need no provider; those of the configuration are never asked for.
  const unused = await startUnused();
  const statuses = new Map<number, number>();
  const faults: string[] = [];
  {
    await using target = await startTarget(resolve(import.meta.dirname, '../..'), {
      hostile: unused.port,
      calm: unused.port,
    });
    let sent = 0;
    let managed = 0;
    const ofInference = seeds.filter(({ needs }) => needs === 'inference');
    const random = seededNumbers(seed);
    const worker = async () => {
      while (sent < count && target.alive) {
        const at = sent;
        sent += 1;
        const one = managed < mostManaged ? seeds[at % seeds.length] : ofInference[at % ofInference.length];
        if (one === undefined) return;
        if (one.needs === 'management') managed += 1;
        const body = mutate(one.body, random);
        const key = one.needs === 'inference' ? target.keys.attacker : target.keys.management;
        const status = await statusOf(
          `http://127.0.0.1:${target.port}/api/v1${one.path}`,
          one.method,
          key,
          body,
          faults,
        );
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    if (!target.alive) faults.push(`the server ended:\n${target.log()}`);
    const verified = await target.command('ledger', 'verify').catch((error: unknown) => String(error));
    process.stdout.write(
      `${sent} bodies, seed ${seed}: ${JSON.stringify(Object.fromEntries([...statuses].sort()))}\n`,
    );
    process.stdout.write(verified);
  }
  unused.close();
  for (const fault of faults.slice(0, mostShown)) process.stderr.write(`${fault}\n`);
  if (faults.length > 0) {
    process.stderr.write(`${faults.length} faults\n`);
    process.exitCode = 1;
  }
}

/** The status of the answer; what is wrong with it is added to the faults. */
async function statusOf(
  url: string,
  method: string,
  key: string,
  body: string,
  faults: string[],
): Promise<number> {
  const note = (fault: string) => faults.push(`${fault}: ${method} ${url}\n  ${body.slice(0, 2_000)}`);
  try {
    const response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(60_000),
    });
    const text = await response.text();
    const { status } = response;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (status >= 500 && !isDocumented(status, text)) note(`${status} ${text.slice(0, 300)}`);
    if (!isStream && text !== '') JSON.parse(text);
    if (isStream && /"code":\s*"?server_error"?[^}]*Internal/.test(text))
      note(`a stream failed: ${text.slice(-300)}`);
    return status;
  } catch (error) {
    note(String(error));
    return 0;
  }
}

/** What a request can ask for that no endpoint gives is 503 with its reasons (docs/spec/errors.md). */
function isDocumented(status: number, text: string): boolean {
  return status === 503 && text.includes('"availability"');
}
