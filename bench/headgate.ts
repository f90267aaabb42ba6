import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../test/support/free-port.ts';
import type { Gateway, Surroundings, Variation } from './gateways.ts';
import { gatewayCore, startNode, waitUntilReady } from './processes.ts';
import { upstreamModel } from './scripted-answers.ts';

/** How a Headgate differs from its default settings. */
export interface HeadgateSettings {
  readonly name: string;
  /**
   * Number of configured models, requested at random, without the built-in catalogue; default: one, beside the
   * built-in ones.
   */
  readonly models?: number;
  /** Keys of requests, chosen at random; the database contains them already (see fill-keys.ts). */
  readonly keys?: KeyRing;
  /** The account is prepaid, so that every request takes a hold; else it is billed afterwards. */
  readonly isPrepaid?: boolean;
  readonly databaseUrl?: string;
  readonly redisUrl?: string;
  readonly workers?: number;
  /** Default: yes. */
  readonly hasDashboard?: boolean;
  /** Cores that it may use; default: the gateway's own. */
  readonly cores?: string;
  /** The folder of its sources, such as another commit's; default: this one. It needs its own `node_modules`. */
  readonly checkout?: string;
  /** Where it writes how long requests wait at each stage (see stage-clock.ts); default: it measures no stages. */
  readonly stagesFile?: string;
}

/** Keys in a database file, and how many of them are in use. */
export interface KeyRing {
  readonly databaseFile: string;
  readonly inUse: number;
}

const here = join(import.meta.dirname, '..');
const defaultModel = 'bench/atlas-4';
/** Of the account whose keys are operators. */
export const bootstrapManagementKey = 'bench-management-key-0123456789abcdef0123456789';
const bootstrapKey = 'bench-api-key-0123456789abcdef0123456789abcdef';
// A gateway with a million keys reads its accounts at the first start.
const readyLimit = 60_000;
const runCommand = promisify(execFile);

/** Enough for any run, in the form of the command line. */
const credits = '100000';
/** By default such a rich account needs no holds, and a small budget would end the run. */
const budgetForAll = { threshold_usd: 1_000_000_000, ceiling_usd: 1_000_000 };

/** Headgate as a user starts it: its own command, one provider, one priced model, a database file on disk. */
export const headgate: Gateway = headgateWith({ name: 'headgate' });

/** Headgate with other settings than the defaults. */
export function headgateWith(settings: HeadgateSettings): Gateway {
  return {
    name: settings.name,
    async start(surroundings) {
      const mainScript = join(settings.checkout ?? here, 'src/main.ts');
      const port = await freePort();
      const home = mkdtempSync(join(surroundings.directory, 'headgate-'));
      const configFile = join(home, 'headgate.yaml');
      writeFileSync(configFile, configuration(settings, surroundings));
      const env = environment(settings, port, home);
      const common = { env, logDirectory: surroundings.directory, cores: settings.cores ?? gatewayCore };
      const command = [mainScript, 'serve', '--config', configFile];
      const { stagesFile } = settings;
      const clock = stagesFile === undefined ? [] : ['--import', join(import.meta.dirname, 'stage-clock.ts')];
      const nodeOptions = [...surroundings.nodeOptions, ...clock];
      const name = settings.name.replaceAll(/[^a-z0-9]+/gi, '-');
      const started = startNode({ ...common, name, args: [...nodeOptions, ...command] });
      await waitUntilReady(started, `http://127.0.0.1:${port}/health/ready`, readyLimit);
      if (settings.isPrepaid === true) await grantCredits(mainScript, env, configFile);
      return {
        name: settings.name,
        url: new URL(`http://127.0.0.1:${port}/api/v1/responses`),
        headers: { authorization: `Bearer ${settings.keys === undefined ? bootstrapKey : rawKey(0)}` },
        dialect: 'responses',
        model: settings.models === undefined ? defaultModel : modelId(0),
        varies: variations(settings),
        pid: started.pid,
        stop: started.stop,
      };
    },
  };
}

async function grantCredits(
  mainScript: string,
  env: Readonly<Record<string, string>>,
  configFile: string,
): Promise<void> {
  await runCommand(
    process.execPath,
    [mainScript, 'credits', 'grant', '--amount', credits, '--config', configFile],
    { env: { ...process.env, ...env } },
  );
}

function environment(settings: HeadgateSettings, port: number, home: string): Record<string, string> {
  const { keys, databaseUrl, redisUrl, isPrepaid, stagesFile } = settings;
  const url = keys === undefined ? databaseUrl : `sqlite:${keys.databaseFile}`;
  return {
    HEADGATE_HOST: '127.0.0.1',
    HEADGATE_PORT: String(port),
    HEADGATE_DATA_DIR: join(home, 'data'),
    HEADGATE_BOOTSTRAP_API_KEY: bootstrapKey,
    HEADGATE_BOOTSTRAP_MANAGEMENT_KEY: bootstrapManagementKey,
    NORTHGPU_API_KEY: 'provider-key',
    ...(isPrepaid === true ? { HEADGATE_BILLING_MODE: 'prepaid' } : {}),
    ...(url === undefined ? {} : { HEADGATE_DATABASE_URL: url }),
    ...(redisUrl === undefined ? {} : { HEADGATE_REDIS_URL: redisUrl }),
    ...(stagesFile === undefined ? {} : { STAGE_CLOCK_FILE: stagesFile }),
  };
}

// JSON is valid YAML and needs no special quoting.
function configuration(
  { models, workers, isPrepaid, hasDashboard = true }: HeadgateSettings,
  { upstreamPort }: Surroundings,
): string {
  const ids = models === undefined ? [defaultModel] : Array.from({ length: models }, (_, at) => modelId(at));
  return JSON.stringify({
    server: {
      ...(workers !== undefined && { workers }),
      ...(!hasDashboard && { dashboard: { enabled: false } }),
    },
    ...(isPrepaid === true ? { limits: { in_flight_budget: budgetForAll } } : {}),
    ...(models === undefined ? {} : { catalog: 'none' }),
    providers: {
      northgpu: {
        name: 'NorthGPU',
        adapter: 'openai-chat',
        base_url: `http://127.0.0.1:${upstreamPort}/v1`,
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the configuration's own notation
        api_key: '${NORTHGPU_API_KEY}',
      },
    },
    models: ids.map((id) => ({ id, name: `Bench ${id}`, endpoints: [endpoint] })),
  });
}

const endpoint = {
  provider: 'northgpu',
  model: upstreamModel,
  context_length: 131_072,
  price: { input: 0.15, output: 0.6 },
};

const digits = 7;

/** The raw key of a number; all have the same length. */
export function rawKey(number: number): string {
  return `bench-key-number-${numeral(number)}-0123456789abcdef0123456789abcdef`;
}

function modelId(number: number): string {
  return `bench/model-${numeral(number)}`;
}

function numeral(number: number): string {
  return String(number).padStart(digits, '0');
}

function variations({ models, keys }: HeadgateSettings): readonly Variation[] {
  return [
    ...(models === undefined ? [] : [{ after: 'bench/model-', digits, count: models }]),
    ...(keys === undefined ? [] : [{ after: 'bench-key-number-', digits, count: keys.inUse }]),
  ];
}
