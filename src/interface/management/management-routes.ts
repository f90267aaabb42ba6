import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AppServices } from '../../edge/app-services.ts';
import { callerOf, type Hook, type KeyHooks } from '../../edge/key-hooks.ts';
import { apiBase } from '../../edge/paths.ts';
import type { Caller } from '../../settlement/caller.ts';
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
import { ManagementAccess } from './management-access.ts';
import { refuseNul } from './refuse-nul.ts';
import {
  changeWorkspace,
  createWorkspace,
  deleteWorkspace,
  listWorkspaces,
  showOneWorkspace,
} from './workspaces-routes.ts';

const callsPerMinute = 60;

type Handler = (
  request: FastifyRequest,
  caller: Caller,
  services: AppServices,
  reply: FastifyReply,
) => Promise<unknown>;

/** Everything a management key may do, and the record of a call, which any key may read (accounts-and-limits 2.2). */
export function addManagementRoutes(app: FastifyInstance, services: AppServices, withKey: KeyHooks): void {
  const access = new ManagementAccess(callsPerMinute);
  const admit: Hook = (request, _reply, done) => {
    access.admit(callerOf(request), services.clock.now());
    done();
  };
  const managed = { ...withKey, onRequest: [withKey.onRequest, admit] };
  const handle = (handler: Handler) => async (request: FastifyRequest, reply: FastifyReply) => {
    refuseNul(request);
    return handler(request, callerOf(request), services, reply);
  };
  app.get(`${apiBase}/keys`, managed, handle(listKeys));
  app.post(`${apiBase}/keys`, managed, handle(createKey));
  app.get(`${apiBase}/keys/:hash`, managed, handle(showOneKey));
  app.patch(`${apiBase}/keys/:hash`, managed, handle(changeKey));
  app.delete(`${apiBase}/keys/:hash`, managed, handle(deleteKey));
  app.get(`${apiBase}/byok`, managed, handle(listCredentials));
  app.post(`${apiBase}/byok`, managed, handle(createCredential));
  app.get(`${apiBase}/byok/:id`, managed, handle(showOneCredential));
  app.patch(`${apiBase}/byok/:id`, managed, handle(changeCredential));
  app.delete(`${apiBase}/byok/:id`, managed, handle(deleteCredential));
  app.get(`${apiBase}/workspaces`, managed, handle(listWorkspaces));
  app.post(`${apiBase}/workspaces`, managed, handle(createWorkspace));
  app.get(`${apiBase}/workspaces/:id`, managed, handle(showOneWorkspace));
  app.patch(`${apiBase}/workspaces/:id`, managed, handle(changeWorkspace));
  app.delete(`${apiBase}/workspaces/:id`, managed, handle(deleteWorkspace));
  app.get(`${apiBase}/credits`, managed, handle(describeCredits));
  app.get(`${apiBase}/activity`, managed, handle(describeActivity));
  app.get(`${apiBase}/generation`, withKey, handle(describeGeneration));
}
