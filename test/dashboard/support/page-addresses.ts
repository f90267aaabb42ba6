import type { Demo } from '../../../scripts/demo/start-demo.ts';
import { demoKeys } from './start-demo-server.ts';

/** Every page of an operator with its details and its tabs, but for Live, whose connection never rests. */
export async function pageAddresses(demo: Demo): Promise<readonly string[]> {
  const { account } = demoKeys(demo).acme;
  const range = { from: 0, to: Date.now() + 1 };
  const filters = { accountId: account.id };
  const page = await demo.storage.usage.calls({ range, filters, calls: {}, before: undefined, limit: 1 });
  const [call] = page.generations;
  if (call === undefined) throw new Error('the demonstration has no calls');
  return [
    '/?range=7d',
    '/?range=7d&metric=tokens&by=key&view=cumulative',
    '/ui/requests?range=7d',
    `/ui/requests/${call.id}?range=7d`,
    `/ui/requests/${call.id}?range=7d&tab=cost`,
    `/ui/requests/${call.id}?range=7d&tab=content`,
    '/ui/requests?range=7d&session=none-such',
    '/ui/request-sessions?range=7d',
    '/ui/request-sessions/pump-review-7',
    '/ui/destinations',
    '/ui/models',
    '/ui/models?tab=providers',
    '/ui/models/acme%2Fatlas-4',
    '/ui/keys',
    `/ui/keys/${call.keyHash}?range=7d`,
    '/ui/playground?models=acme/atlas-4,globex/ibis-flash',
    '/ui/explain?model=acme/atlas-4-mini&zdr=on',
    '/ui/credentials',
    '/ui/workspaces',
    `/ui/workspaces/${account.defaultWorkspaceId}`,
    '/ui/guardrails',
    '/ui/routers',
    '/ui/presets',
    '/ui/credits',
    '/ui/audit',
    '/ui/health',
    '/ui/settings',
    '/ui/none-such',
  ];
}
