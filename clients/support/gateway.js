import { after, before } from 'node:test';
import { startGateway } from '../../test/e2e/support/gateway-process.ts';

/**
 * A running gateway for one file of tests: the installed package where the end-to-end suite built one, with its
 * sandbox models.
 */
export function useGateway() {
  const here = { baseURL: '', apiKey: '' };
  let gateway;
  before(async () => {
    gateway = await startGateway();
    here.baseURL = gateway.baseUrl;
    here.apiKey = gateway.key;
  });
  after(() => gateway?.[Symbol.asyncDispose]());
  return here;
}

/** Everything an async iterable yields. */
export async function collect(iterable) {
  const all = [];
  for await (const one of iterable) all.push(one);
  return all;
}
