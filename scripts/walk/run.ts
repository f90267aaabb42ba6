import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { beforeExit, startNode, stopAll, waitUntilReady } from '../../bench/processes.ts';
import { median } from '../../bench/statistics.ts';
import { freePort } from '../../test/support/free-port.ts';
import { type Entry, readEntries, type Walk, walkOf } from './entries.ts';
import { measureHouse } from './house.ts';
import { startProvider } from './provider.ts';

const help = `Usage: npm run walk -- [options]

Starts a gateway, logs every function of src/ that four requests enter, and prints how many files that are, how often
the call moves from one file to another, and from one folder of src/ to another; and how the source is cut into files.

  --checkout DIR   the sources to look at, with node_modules of their own (these)
  --rounds N       how often each request is sent; the middle counts (9)
  --files          also print the files of each row, in the order they are entered
`;

const { values } = parseArgs({
  options: {
    checkout: { type: 'string', default: join(import.meta.dirname, '../..') },
    rounds: { type: 'string', default: '9' },
    files: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** Milliseconds of silence around what is measured, so that nothing before it counts. */
const silence = 60;
const managementKey = 'walk-management-key-0123456789abcdef0123456789abcdef';
const apiKey = 'walk-api-key-0123456789abcdef0123456789abcdef';

/** When something began and ended, in milliseconds since 1970. */
interface Window {
  readonly from: number;
  readonly to: number;
}

const rows = {
  stream: 'streamed `POST /responses`, three words',
  delta: 'one further text delta',
  key: '`POST /keys`',
  charge: "from the provider's last event to the answer's last byte, with the charge",
} as const;
type Row = keyof typeof rows;

if (values.help) process.stdout.write(help);
else await measure(resolve(values.checkout), Number(values.rounds));

async function measure(checkout: string, rounds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-walk-'));
  beforeExit(async () => rmSync(folder, { recursive: true, force: true }));
  try {
    const windows = await walk(checkout, folder, rounds);
    const entries = readEntries(folder);
    printTable(windows, entries);
    process.stdout.write(`\n${measureHouse(checkout)}`);
  } finally {
    await stopAll();
  }
}

/** Sends every request some times; the first two warm the gateway up and do not count. */
async function walk(checkout: string, folder: string, rounds: number) {
  await using provider = await startProvider();
  const url = await startGateway(checkout, folder, provider.url);
  const windows: Record<Row, Window[]> = { stream: [], delta: [], key: [], charge: [] };
  for (let round = -2; round < rounds; round++) {
    const times = { ...(await stream(url, provider.say)), key: await createKey(url) };
    if (round >= 0) for (const row of Object.keys(rows) as Row[]) windows[row].push(times[row]);
  }
  // Until the last entries are written.
  await sleep(10 * silence);
  return windows;
}

async function startGateway(checkout: string, folder: string, providerUrl: string): Promise<string> {
  const home = join(folder, 'home');
  mkdirSync(home);
  const file = join(home, 'headgate.yaml');
  writeFileSync(file, JSON.stringify(configuration(providerUrl)));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const started = startNode({
    name: 'gateway',
    cores: '0',
    logDirectory: home,
    args: [
      '--import',
      join(import.meta.dirname, 'trace.ts'),
      join(checkout, 'src/main.ts'),
      'serve',
      '--config',
      file,
    ],
    env: {
      WALK_FOLDER: folder,
      WALK_ROOT: checkout,
      HEADGATE_HOST: '127.0.0.1',
      HEADGATE_PORT: String(port),
      HEADGATE_DATA_DIR: join(home, 'data'),
      HEADGATE_BOOTSTRAP_API_KEY: apiKey,
      HEADGATE_BOOTSTRAP_MANAGEMENT_KEY: managementKey,
    },
  });
  await waitUntilReady(started, `${url}/health/ready`, 60_000);
  return url;
}

function configuration(providerUrl: string) {
  const endpoint = {
    provider: 'walked',
    model: 'claude-walk',
    context_length: 200_000,
    price: { input: 3, output: 15 },
  };
  return {
    providers: {
      walked: {
        name: 'Walked',
        adapter: 'anthropic-messages',
        base_url: providerUrl,
        api_key: 'provider-key',
      },
    },
    models: [{ id: 'walk/atlas', name: 'Atlas', endpoints: [endpoint] }],
  };
}

/** Streams an answer whose second and third words come after a silence, as its end does. */
async function stream(url: string, say: (part: 'word' | 'end') => void) {
  await sleep(silence);
  const from = now();
  const answering = fetch(`${url}/api/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'walk/atlas', input: 'Say three words.', stream: true }),
  });
  say('word');
  const response = await answering;
  const reader = response.body?.getReader();
  if (response.status !== 200 || reader === undefined)
    throw new Error(`the gateway answered ${response.status}: ${await response.text()}`);
  const decoder = new TextDecoder();
  const readUntil = async (isEnough: (text: string) => boolean) => {
    let text = '';
    while (!isEnough(text)) {
      const { value, done } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
    return text;
  };
  const isWord = (text: string) => text.includes('response.output_text.delta') && text.endsWith('\n\n');
  await readUntil(isWord);
  const timed = async (part: 'word' | 'end', isEnough: (text: string) => boolean): Promise<Window> => {
    await sleep(silence);
    const began = now();
    say(part);
    await readUntil(isEnough);
    return { from: began, to: now() };
  };
  await timed('word', isWord);
  const delta = await timed('word', isWord);
  const charge = await timed('end', () => false);
  await sleep(silence);
  return { stream: { from, to: now() }, delta, charge };
}

async function createKey(url: string): Promise<Window> {
  await sleep(silence);
  const from = now();
  const response = await fetch(`${url}/api/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'walked', limit: 10, limit_reset: 'monthly' }),
  });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`the gateway answered ${response.status}: ${text}`);
  return { from, to: now() };
}

function now(): number {
  return performance.timeOrigin + performance.now();
}

function printTable(windows: Readonly<Record<Row, readonly Window[]>>, entries: readonly Entry[]): void {
  process.stdout.write(
    '| walk | files | moves between files | between folders | functions |\n|---|--:|--:|--:|--:|\n',
  );
  for (const row of Object.keys(rows) as Row[]) {
    const walks = windows[row].map(({ from, to }) =>
      walkOf(entries.filter(({ at }) => at >= from && at <= to)),
    );
    const middle = (member: Exclude<keyof Walk, 'inOrder'>) => median(walks.map((walk) => walk[member]));
    process.stdout.write(
      `| ${rows[row]} | ${middle('files')} | ${middle('moves')} | ${middle('folderMoves')} | ${middle('functions')} |\n`,
    );
    if (values.files) for (const file of walks[0]?.inOrder ?? []) process.stdout.write(`    ${file}\n`);
  }
}
