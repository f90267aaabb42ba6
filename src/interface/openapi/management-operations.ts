import { accountPage } from '../../edge/query.ts';
import { limitOf, type Operation, offset, type QueryParameter } from './operations.ts';
import { string, words } from './schema-parts.ts';

const limit = limitOf(accountPage);
const workspace: QueryParameter = ['workspace_id', string];
const managed = { access: 'management' } as const;

/** The five operations on a kind of thing, from its names and bodies. */
function resource(of: {
  readonly path: string;
  readonly parameter: string;
  readonly name: string;
  readonly plural: string;
  readonly schema: string;
  readonly created?: string;
  /** The status of what was created; default 201. */
  readonly success?: number;
  readonly query: readonly QueryParameter[];
  /** Parameters of a change. */
  readonly change?: readonly QueryParameter[];
  /** What a deletion asks to be told. */
  readonly deletion?: readonly QueryParameter[];
}): readonly Operation[] {
  const {
    path,
    name,
    plural,
    schema,
    created = `${schema}Answer`,
    success = 201,
    query,
    change,
    deletion,
  } = of;
  const one = {
    path: `${path}/{${of.parameter}}`,
    answer: `${schema}Answer`,
    failures: ['not_found'],
    ...managed,
  } as const;
  return [
    {
      method: 'get',
      path,
      id: `list${schema}s`,
      summary: `The ${plural}`,
      answer: `${schema}List`,
      query,
      ...managed,
    },
    {
      method: 'post',
      path,
      id: `create${schema}`,
      summary: `Create a ${name}`,
      answer: created,
      body: `Create${schema}`,
      success,
      ...managed,
    },
    { ...one, method: 'get', id: `get${schema}`, summary: `One ${name}` },
    {
      ...one,
      method: 'patch',
      id: `update${schema}`,
      summary: `Change a ${name}`,
      body: `Update${schema}`,
      query: change,
    },
    {
      ...one,
      method: 'delete',
      id: `delete${schema}`,
      summary: `Delete a ${name}`,
      answer: 'Deleted',
      query: deletion,
    },
  ];
}

/** What management keys may do, and the record of a call, which any key may read (accounts-and-limits 2.2, 7). */
export const managementOperations: readonly Operation[] = [
  ...resource({
    path: '/keys',
    parameter: 'hash',
    name: 'key',
    plural: 'inference keys, newest first, a hundred at a time',
    schema: 'Key',
    created: 'CreatedKey',
    query: [offset, workspace, ['include_disabled', words('true', 'false')]],
    change: [['force', words('true', 'false'), 'Needed to lock out the key that makes the change']],
  }),
  ...resource({
    path: '/byok',
    parameter: 'id',
    name: 'provider credential',
    plural: "account's own provider credentials",
    schema: 'ProviderCredential',
    success: 200,
    query: [offset, limit, workspace, ['provider', string]],
  }),
  ...resource({
    path: '/workspaces',
    parameter: 'id',
    name: 'workspace',
    plural: 'workspaces of the account',
    schema: 'Workspace',
    query: [offset, limit],
    deletion: [
      ['confirm_default_workspace_deletion', words('true', 'false'), 'Needed for the default workspace'],
    ],
  }),
  {
    method: 'get',
    path: '/credits',
    id: 'getCredits',
    summary: 'What was ever booked to the account, and charged to it',
    answer: 'Credits',
    ...managed,
  },
  {
    method: 'get',
    path: '/activity',
    id: 'getActivity',
    summary: 'Use of the last 30 whole UTC days by day, model and endpoint',
    answer: 'Activity',
    failures: ['not_found'],
    query: [
      ['date', { type: 'string', format: 'date' }],
      ['api_key_hash', string],
      ['user_id', string],
      ['group_by', words('workspace')],
      workspace,
    ],
    ...managed,
  },
  {
    method: 'get',
    path: '/generation',
    id: 'getGeneration',
    summary: 'The record of one call; never what was said',
    answer: 'Generation',
    failures: ['not_found'],
    query: [['id', string, 'As X-Generation-Id told it', true]],
  },
];
