import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, gatewayCore, startNode, waitUntilReady } from './processes.ts';
import { upstreamModel } from './scripted-answers.ts';

/** What a gateway is started with. */
export interface Surroundings {
  readonly upstreamPort: number;
  /** An empty directory of this run for configuration, data and logs. */
  readonly directory: string;
  /** Node options for the gateway's process, such as a profiler's. */
  readonly nodeOptions: readonly string[];
}

/** A gateway that can be put under load. */
export interface Gateway {
  readonly name: string;
  start(surroundings: Surroundings): Promise<RunningGateway>;
}

/** Where a started gateway is reached and how it is asked. */
export interface RunningGateway {
  readonly name: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it takes a Responses request or a chat completions request. */
  readonly dialect: 'responses' | 'chat';
  readonly model: string;
  /** Undefined when this run did not start it: then neither CPU nor memory can be told. */
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

const here = import.meta.dirname;
const model = 'bench/atlas-4';

/** The yardstick: see bare-proxy.ts. */
export function bareProxy(name: string): Gateway {
  return {
    name,
    async start({ upstreamPort, directory, nodeOptions }) {
      const port = await freePort();
      const started = startNode({
        name: name.replaceAll(' ', '-'),
        core: gatewayCore,
        args: [...nodeOptions, join(here, 'bare-proxy.ts')],
        env: { PORT: String(port), UPSTREAM_ORIGIN: `http://127.0.0.1:${upstreamPort}` },
        logDirectory: directory,
      });
      await waitUntilReady(started, `http://127.0.0.1:${port}/health/ready`);
      return {
        name,
        url: new URL(`http://127.0.0.1:${port}/v1/responses`),
        headers: { authorization: 'Bearer client-key' },
        dialect: 'responses',
        model,
        pid: started.pid,
        stop: started.stop,
      };
    },
  };
}

/** Headgate as a user starts it: its own command, one provider, one priced model, a database file on disk. */
export const headgate: Gateway = {
  name: 'headgate',
  async start({ upstreamPort, directory, nodeOptions }) {
    const port = await freePort();
    const home = mkdtempSync(join(directory, 'headgate-'));
    const configFile = join(home, 'headgate.yaml');
    writeFileSync(configFile, configuration(upstreamPort));
    const apiKey = 'bench-api-key-0123456789abcdef0123456789abcdef';
    const started = startNode({
      name: 'headgate',
      core: gatewayCore,
      args: [...nodeOptions, join(here, '../src/main.ts'), 'serve', '--config', configFile],
      env: {
        HEADGATE_HOST: '127.0.0.1',
        HEADGATE_PORT: String(port),
        HEADGATE_DATA_DIR: join(home, 'data'),
        HEADGATE_BOOTSTRAP_API_KEY: apiKey,
        HEADGATE_BOOTSTRAP_MANAGEMENT_KEY: 'bench-management-key-0123456789abcdef0123456789',
        NORTHGPU_API_KEY: 'provider-key',
      },
      logDirectory: directory,
    });
    await waitUntilReady(started, `http://127.0.0.1:${port}/health/ready`);
    return {
      name: 'headgate',
      url: new URL(`http://127.0.0.1:${port}/api/v1/responses`),
      headers: { authorization: `Bearer ${apiKey}` },
      dialect: 'responses',
      model,
      pid: started.pid,
      stop: started.stop,
    };
  },
};

// JSON is YAML, and needs no care with quoting.
function configuration(upstreamPort: number): string {
  return JSON.stringify({
    providers: {
      northgpu: {
        name: 'NorthGPU',
        adapter: 'openai-chat',
        base_url: `http://127.0.0.1:${upstreamPort}/v1`,
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the configuration's own notation
        api_key: '${NORTHGPU_API_KEY}',
      },
    },
    models: [
      {
        id: model,
        name: 'Bench Atlas 4',
        endpoints: [
          {
            provider: 'northgpu',
            model: upstreamModel,
            context_length: 131_072,
            price: { input: 0.15, output: 0.6 },
          },
        ],
      },
    ],
  });
}

/** How to reach a gateway that somebody else started. */
export interface ExternalGateway {
  readonly name: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly dialect: 'responses' | 'chat';
  readonly model: string;
  readonly pid: number | undefined;
}

/** A gateway that somebody else started; it must send its calls to this run's upstream. */
export function externalGateway(external: ExternalGateway): Gateway {
  return { name: external.name, start: async () => ({ ...external, stop: async () => {} }) };
}

/** The scripted upstream itself, asked without a gateway. */
export function directUpstream(upstreamPort: number): RunningGateway {
  return {
    name: 'direct',
    url: new URL(`http://127.0.0.1:${upstreamPort}/v1/chat/completions`),
    headers: { authorization: 'Bearer provider-key' },
    dialect: 'chat',
    model: upstreamModel,
    pid: undefined,
    stop: async () => {},
  };
}
