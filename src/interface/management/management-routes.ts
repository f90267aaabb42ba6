import { clientAddress } from '../../edge/client-address.ts';
import { apiBase } from '../../edge/paths.ts';
import type { KeyedRoute } from '../../edge/route.ts';
import { keyActor } from '../../operations/actor.ts';
import { describeActivity } from './activity-route.ts';
import {
  changeCredential,
  createCredential,
  deleteCredential,
  listCredentials,
  showOneCredential,
} from './byok-routes.ts';
import { describeCredits } from './credits-route.ts';
import { describeGeneration } from './generation-route.ts';
import { changeKey, createKey, deleteKey, listKeys, showOneKey } from './keys-routes.ts';
import type { ManagementHandler, ManagementServices } from './management-handler.ts';
import { refuseNul } from './refuse-nul.ts';
import {
  changeWorkspace,
  createWorkspace,
  deleteWorkspace,
  listWorkspaces,
  showOneWorkspace,
} from './workspaces-routes.ts';

const created = 201;

/** Everything a management key may do, and the record of a call, which any key may read (accounts-and-limits 2.2). */
export function managementRoutes(services: ManagementServices): readonly KeyedRoute[] {
  const row = (
    method: KeyedRoute['method'],
    path: string,
    handler: ManagementHandler,
    status = 200,
  ): KeyedRoute => ({
    method,
    path: apiBase + path,
    access: 'management',
    status,
    handle: async (call) => {
      refuseNul(call);
      const { trustProxy } = services.config.server;
      const actor = keyActor(call.caller, clientAddress(call.arrival, trustProxy));
      return { json: await handler(call, actor, services) };
    },
  });
  return [
    row('GET', '/keys', listKeys),
    row('POST', '/keys', createKey, created),
    row('GET', '/keys/{hash}', showOneKey),
    row('PATCH', '/keys/{hash}', changeKey),
    row('DELETE', '/keys/{hash}', deleteKey),
    row('GET', '/byok', listCredentials),
    // Not 201: interface.md gives this creation another status than the others (README, decision 3).
    row('POST', '/byok', createCredential),
    row('GET', '/byok/{id}', showOneCredential),
    row('PATCH', '/byok/{id}', changeCredential),
    row('DELETE', '/byok/{id}', deleteCredential),
    row('GET', '/workspaces', listWorkspaces),
    row('POST', '/workspaces', createWorkspace, created),
    row('GET', '/workspaces/{id}', showOneWorkspace),
    row('PATCH', '/workspaces/{id}', changeWorkspace),
    row('DELETE', '/workspaces/{id}', deleteWorkspace),
    row('GET', '/credits', describeCredits),
    row('GET', '/activity', describeActivity),
    { ...row('GET', '/generation', describeGeneration), access: 'key' },
  ];
}
