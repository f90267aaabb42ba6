import { readFileSync } from 'node:fs';
import tls from 'node:tls';
import type { Dispatcher } from 'undici';
import type { OwnProxy, ProxyAddress } from '../util/proxy-address.ts';
import { noProxies, type ProxyRules, proxyFor } from './proxy-rules.ts';

/** The rules that `useNetwork` was given last. A process has one environment, so it has one set of them. */
let current: ProxyRules = noProxies;

/**
 * Sends what this process sends by `fetch` and by undici through the proxies of its environment, and trusts further
 * certificates (docs/spec/operations.md#outgoing-connections). Without either nothing changes and nothing is loaded.
 * @param caFile Certificates that are trusted besides those of the runtime.
 * @throws Error for the operator when the file of certificates cannot be used.
 */
export async function useNetwork(proxies: ProxyRules, caFile?: string): Promise<void> {
  if (caFile !== undefined) trust(caFile);
  if (proxies === current) return;
  current = proxies;
  if (proxies.http === undefined && proxies.https === undefined) return;
  const { Agent, Dispatcher, ProxyAgent, setGlobalDispatcher } = await import('undici');
  const direct = new Agent();
  class Choosing extends Dispatcher {
    override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      const proxy = proxyFor(new URL(String(options.origin)), current);
      const agent = proxy === undefined ? direct : agentOf(proxy);
      return agent.dispatch(options, handler);
    }
  }
  const agentOf = remembered((proxy) => new ProxyAgent(agentOptions(proxy)));
  setGlobalDispatcher(new Choosing());
}

/** What `fetch` of this URL needs for a provider that says itself how it is reached; nothing where it does not. */
export async function throughOwnProxy(
  url: string,
  own: OwnProxy | undefined,
): Promise<Pick<RequestInit, 'dispatcher'>> {
  if (own === undefined) return {};
  const { Agent, ProxyAgent } = await import('undici');
  const proxy = proxyFor(new URL(url), noProxies, own);
  const dispatcher = proxy === undefined ? new Agent() : new ProxyAgent(agentOptions(proxy));
  // The runtime's types are those of another version of the same library.
  return { dispatcher } as unknown as Pick<RequestInit, 'dispatcher'>;
}

/** The proxy of an origin for connections that this process keeps itself. */
export function proxyOf(origin: string, own: OwnProxy | undefined): ProxyAddress | undefined {
  if (own === undefined && current === noProxies) return undefined;
  return proxyFor(new URL(origin), current, own);
}

function agentOptions({ origin, authorization }: ProxyAddress) {
  return {
    uri: origin,
    // Plain HTTP asks the proxy for the whole address: many let CONNECT through for port 443 alone.
    proxyTunnel: false,
    ...(authorization !== undefined && { token: authorization.reveal() }),
  };
}

function remembered<Made>(make: (proxy: ProxyAddress) => Made): (proxy: ProxyAddress) => Made {
  const made = new Map<ProxyAddress, Made>();
  return (proxy) => {
    const known = made.get(proxy) ?? make(proxy);
    made.set(proxy, known);
    return known;
  };
}

const certificate = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

function trust(file: string): void {
  if (typeof tls.setDefaultCACertificates !== 'function')
    throw new Error('server.ca_file needs Node 22.19 or newer; set NODE_EXTRA_CA_CERTS to the file instead.');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new Error(`server.ca_file cannot be read: ${file}. Name a file of certificates in PEM.`);
  }
  const found = text.match(certificate) ?? [];
  if (found.length === 0) throw new Error(`server.ca_file holds no certificate: ${file}. It must be in PEM.`);
  try {
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...found]);
  } catch {
    throw new Error(`server.ca_file holds a certificate that cannot be read: ${file}. It must be in PEM.`);
  }
}
