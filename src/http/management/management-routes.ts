import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../settlement/caller.ts';
import type { AppServices } from '../app-services.ts';
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

/** What the routes need of the app they are added to. */
export interface RouteTools {
  /** Finds the caller of a request before its body is read, and once more after that. */
  readonly withKey: { readonly onRequest: Hook; readonly preHandler: Hook };
  readonly callerOf: (request: FastifyRequest) => Caller;
}

type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

/** Everything a management key may do, and the record of a call, which any key may read (accounts-and-limits 2.2). */
export function addManagementRoutes(
  app: FastifyInstance,
  base: string,
  services: AppServices,
  { withKey, callerOf }: RouteTools,
): void {
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
  app.get(`${base}/keys`, managed, handle(listKeys));
  app.post(`${base}/keys`, managed, handle(createKey));
  app.get(`${base}/keys/:hash`, managed, handle(showOneKey));
  app.patch(`${base}/keys/:hash`, managed, handle(changeKey));
  app.delete(`${base}/keys/:hash`, managed, handle(deleteKey));
  app.get(`${base}/byok`, managed, handle(listCredentials));
  app.post(`${base}/byok`, managed, handle(createCredential));
  app.get(`${base}/byok/:id`, managed, handle(showOneCredential));
  app.patch(`${base}/byok/:id`, managed, handle(changeCredential));
  app.delete(`${base}/byok/:id`, managed, handle(deleteCredential));
  app.get(`${base}/workspaces`, managed, handle(listWorkspaces));
  app.post(`${base}/workspaces`, managed, handle(createWorkspace));
  app.get(`${base}/workspaces/:id`, managed, handle(showOneWorkspace));
  app.patch(`${base}/workspaces/:id`, managed, handle(changeWorkspace));
  app.delete(`${base}/workspaces/:id`, managed, handle(deleteWorkspace));
  app.get(`${base}/credits`, managed, handle(describeCredits));
  app.get(`${base}/activity`, managed, handle(describeActivity));
  app.get(`${base}/generation`, withKey, handle(describeGeneration));
}
