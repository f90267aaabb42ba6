import { apiBase } from '../../edge/route.ts';
import { type Static, Type, text } from '../../util/json-schema.ts';
import type { InterfaceServices } from '../interface-services.ts';
import { Deleted, limit, managed, offset, one } from '../parts.ts';
import { jsonRow, type Row } from '../row.ts';
import {
  changeDestination,
  createDestination,
  type DestinationTerms,
  deleteDestination,
  findDestination,
  listDestinations,
  type WrittenDestination,
} from './destinations.ts';
import {
  CreateDestination,
  DestinationAnswer,
  DestinationList,
  DestinationTypeList,
  listTypes,
  showDestination,
  UpdateDestination,
} from './show.ts';

const path = `${apiBase}/observability/destinations`;
const oneDestination = { ...one('destinations'), path: `${path}/{id}` } as const;

function readWritten(body: Static<typeof UpdateDestination>): WrittenDestination {
  const given = {
    name: body.name,
    enabled: body.enabled,
    privacyMode: body.privacy_mode,
    sendsCost: body.broadcast_generation_cost,
    sendsIdentity: body.broadcast_generation_identity,
    sendsContext: body.broadcast_generation_request_context,
    samplingRate: body.sampling_rate,
    keyHashes: body.api_key_hashes,
    config: body.config,
    rules: body.filter_rules,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function termsOf({ config, scanner }: InterfaceServices): DestinationTerms {
  const { enabled, perType } = config.observability.destinations;
  return { enabled, perType, scanner };
}

/** Where workspaces have their traces sent (docs/spec/destinations.md). */
export const destinationRows: readonly Row[] = [
  jsonRow({
    ...managed('destinations'),
    method: 'GET',
    path: `${apiBase}/observability/destination-types`,
    id: 'listDestinationTypes',
    summary: 'The types of destinations, with the members of their config',
    answer: DestinationTypeList,
    handle: async () => ({ data: listTypes() }),
  }),
  jsonRow({
    ...managed('destinations'),
    method: 'GET',
    path,
    id: 'listDestinations',
    summary: 'The destinations of a workspace, or of all of the account',
    query: Type.Object({ offset, limit, workspace_id: Type.Optional(text()) }),
    answer: DestinationList,
    handle: async ({ actor, query }, services) => {
      const { workspace_id: workspace, ...page } = query;
      const { destinations, total } = await listDestinations(actor, { ...page, workspace }, services);
      return { data: destinations.map(showDestination), total_count: total };
    },
  }),
  jsonRow({
    ...managed('destinations'),
    method: 'POST',
    path,
    id: 'createDestination',
    summary:
      'Create a destination; an empty export is sent to it first, and nothing is stored unless it is taken',
    needsTypedKey: true,
    body: CreateDestination,
    status: 201,
    answer: DestinationAnswer,
    failures: ['conflict'],
    handle: async ({ actor, body }, services) => {
      const { type, name, workspace_id: workspace, ...rest } = body;
      const input = { ...readWritten(rest), type, name, ...(workspace !== undefined && { workspace }) };
      const created = await createDestination(actor, input, termsOf(services), services);
      await services.destinationDesk.known();
      return { data: showDestination(created) };
    },
  }),
  jsonRow({
    ...oneDestination,
    method: 'GET',
    id: 'getDestination',
    summary: 'One destination',
    answer: DestinationAnswer,
    handle: async ({ actor, params: { id = '' } }, services) => ({
      data: showDestination(await findDestination(actor, id, services)),
    }),
  }),
  jsonRow({
    ...oneDestination,
    method: 'PATCH',
    id: 'updateDestination',
    summary: 'Change a destination; secrets that are sent back masked stay',
    needsTypedKey: true,
    body: UpdateDestination,
    answer: DestinationAnswer,
    handle: async ({ actor, params: { id = '' }, body }, services) => {
      const input = { ...readWritten(body), id };
      const changed = await changeDestination(actor, input, termsOf(services), services);
      await services.destinationDesk.known();
      return { data: showDestination(changed) };
    },
  }),
  jsonRow({
    ...oneDestination,
    method: 'DELETE',
    id: 'deleteDestination',
    summary: 'Delete a destination; what waits for it is dropped',
    answer: Deleted,
    handle: async ({ actor, params: { id = '' } }, services) => {
      await deleteDestination(actor, id, services);
      await services.destinationDesk.known();
      return { deleted: true };
    },
  }),
];
