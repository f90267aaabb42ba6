import { join } from 'node:path';
import { freePort } from '../test/support/free-port.ts';
import { bothCores, gatewayCore, startNode, waitUntilReady } from './processes.ts';
import { upstreamModel } from './scripted-answers.ts';

/** What a gateway is started with. */
export interface Surroundings {
  readonly upstreamPort: number;
  /** An empty directory of this run for configuration, data and logs. */
  readonly directory: string;
  /** Node options for the gateway's process, such as a profiler's. */
  readonly nodeOptions: readonly string[];
}

/** A gateway that can be measured. */
export interface Gateway {
  readonly name: string;
  start(surroundings: Surroundings): Promise<RunningGateway>;
}

/** A number in the bytes of a request that is random in each request. */
export interface Variation {
  /** The text directly before it, found once in a request. */
  readonly after: string;
  /** Its number of digits. */
  readonly digits: number;
  /** It is at least 0 and less than this. */
  readonly count: number;
}

/** Address and request format of a started gateway. */
export interface RunningGateway {
  readonly name: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it takes a Responses request or a chat completions request. */
  readonly dialect: 'responses' | 'chat';
  readonly model: string;
  /** What differs from request to request; default nothing. */
  readonly varies?: readonly Variation[];
  /** Undefined when this run did not start it: then CPU and memory are unknown. */
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

const here = import.meta.dirname;
const model = 'bench/atlas-4';

/** How a bare proxy differs from the yardstick. */
export interface BareProxySettings {
  /** Environment variables that select the promises to keep: see promise-keeper.ts. */
  readonly promises?: Readonly<Record<string, string>>;
  /** Processes that share its port, on both cores when there are more than one. */
  readonly processes?: number;
}

/** The yardstick: see bare-proxy.ts. */
export function bareProxy(name: string, { promises, processes = 1 }: BareProxySettings = {}): Gateway {
  return {
    name,
    async start({ upstreamPort, directory, nodeOptions }) {
      const port = await freePort();
      const started = await Promise.all(
        Array.from({ length: processes }, async (_, at) => {
          const one = startNode({
            name: `${name.replaceAll(/[^a-z]+/g, '-')}-${at}`,
            cores: processes === 1 ? gatewayCore : bothCores,
            args: [...nodeOptions, join(here, 'bare-proxy.ts')],
            env: { PORT: String(port), UPSTREAM_ORIGIN: `http://127.0.0.1:${upstreamPort}`, ...promises },
            logDirectory: directory,
          });
          await waitUntilReady(one, `http://127.0.0.1:${port}/health/ready`);
          return one;
        }),
      );
      return {
        name,
        url: new URL(`http://127.0.0.1:${port}/v1/responses`),
        headers: { authorization: 'Bearer client-key' },
        dialect: 'responses',
        model,
        pid: processes === 1 ? started[0]?.pid : undefined,
        stop: async () => {
          await Promise.all(started.map((one) => one.stop()));
        },
      };
    },
  };
}

/** The address of a gateway that is already running. */
export interface ExternalGateway {
  readonly name: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly dialect: 'responses' | 'chat';
  readonly model: string;
  readonly pid: number | undefined;
}

/** A gateway that is already running; it must send its calls to this run's upstream. */
export function externalGateway(external: ExternalGateway): Gateway {
  return { name: external.name, start: async () => ({ ...external, stop: async () => {} }) };
}

/** The scripted upstream itself, measured without a gateway. */
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
