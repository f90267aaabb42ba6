import { type Demo, startDemo } from '../../../scripts/demo/start-demo.ts';

/** A server with invented traffic on a free port; few calls, so that it starts quickly. */
export function startDemoServer(calls = 900): Promise<Demo> {
  return startDemo({ port: 0, calls });
}

/** The account and the keys that tests log in with. */
export function demoKeys({ accounts }: Demo) {
  const [acme, globex, initech] = accounts;
  const holder = acme?.keys['ci-bot'];
  if (acme === undefined || globex === undefined || initech === undefined || holder === undefined) {
    throw new Error('the demonstration lacks an account');
  }
  return { operator: acme.managementKey, manager: globex.managementKey, holder, acme, globex, initech };
}
