import { ok, strictEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { type Role, roles } from '../../src/core/roles.ts';
import { interfaceRows } from '../../src/interface/routes.ts';
import type { Row } from '../../src/management/row.ts';
import type { ApiKey } from '../../src/ports/keys.ts';
import type { TestGateway } from './gateway.ts';

/** What each role may do with each permission, in the order of `roles`: W writes, R reads, - neither. Written by hand. */
const matrix: Readonly<Record<string, string>> = {
  self: 'RRRRR',
  usage: 'RRRRR',
  feedback: 'WWWRR',
  content: 'WWR--',
  keys: 'WWWR-',
  credentials: 'WW-R-',
  destinations: 'WWRR-',
  workspaces: 'WW---',
  workspace: 'WWRRR',
  guardrails: 'WWRR-',
  presets: 'WWWR-',
  members: 'WWRR-',
  billing: 'RR--R',
  audit: 'RR---',
  installation: 'W----',
};

/** What each operation needs, by hand as well: an id that is not here fails. Inference is refused to every role. */
const operations: Readonly<Record<string, readonly string[]>> = {
  inference:
    words(`createResponse connectResponses compactResponse planResponse createChatCompletion createEmbeddings
    createMessage countMessageTokens uploadFile listFiles getFile downloadFile deleteFile`),
  self: words('getCurrentKey listUsableModels'),
  usage:
    words(`listEndpointHealth listSessions getSession getActivity getGeneration getUsageSeries listUsageValues
    listLastUses listGenerations getGenerationDetail exportGenerations listRouters watchRequests search`),
  feedback: words('submitGenerationFeedback listGenerationFeedback getFeedbackSums reportFalsePositive'),
  content: words('listGenerationContent deleteGenerationContent'),
  keys: words('listKeys createKey getKey getKeyRules updateKey rotateKey deleteKey'),
  credentials:
    words(`listProviderCredentials createProviderCredential getProviderCredentialTerms getProviderCredential
    updateProviderCredential deleteProviderCredential testProviderCredential`),
  destinations:
    words(`listDestinationTypes listDestinations createDestination getDestination updateDestination
    deleteDestination`),
  workspaces: words('createWorkspace deleteWorkspace'),
  workspace: words(`listWorkspaces getWorkspace updateWorkspace listBudgets getBudget putBudget deleteBudget
    listWorkspaceMembers addWorkspaceMembers removeWorkspaceMembers cancelRequest`),
  guardrails:
    words(`listGuardrails createGuardrail getGuardrail updateGuardrail deleteGuardrail listFalsePositives
    listKeyAssignments listKeysOfGuardrail assignKeys unassignKeys listMemberAssignments listMembersOfGuardrail
    assignMembers unassignMembers listAllowedPhrases allowPhrase disallowPhrase testGuardrail getPluginDefaults
    setPluginDefaults`),
  presets:
    words(`listPresets getPreset listPresetVersions getPresetVersion updatePreset savePresetFromResponses
    savePresetFromChatCompletions savePresetFromMessages`),
  members: words('listMembers'),
  billing: words('getCredits listLimits listLedger exportLedger listHolds'),
  audit: words('listAudit exportAudit'),
  installation:
    words(`listProviderConnections checkProvider bookCredits verifyLedger getLastVerification getJob
    listAccounts listProcesses listRisks listAlerts getConfiguration`),
};

function words(text: string): readonly string[] {
  return text.split(/\s+/);
}

type Verdict = 'in' | 'role' | 'refused' | 'keyless';

/** Calls of one management key before another one is made: a key has 60 a minute. */
const callsOfKey = 50;

/** Every row that keys use, with every kind of key, on a real server (docs/spec/identity.md#permissions). */
export function describeRoles(open: () => Promise<TestGateway>): void {
  const rows = interfaceRows.filter(({ access }) => access !== 'open' && access !== 'optional');

  test('every operation that keys use has its permission written down here', () => {
    const known = Object.values(operations).flat();
    strictEqual(new Set(known).size, known.length, 'an operation is named twice');
    strictEqual(
      rows
        .map(({ id }) => id)
        .toSorted()
        .join(),
      known.toSorted().join(),
    );
  });

  const principals: readonly (readonly [name: string, fields: Partial<ApiKey> | undefined])[] = [
    ['no key', undefined],
    ['an inference key', {}],
    ['a management key', { kind: 'management', workspaceId: null }],
    ['a reading management key', { kind: 'management', workspaceId: null, scopes: ['read'] }],
    ...roles.map(
      (role) => [role, { kind: 'management', workspaceId: null, role, creatorUserId: 'user_1' }] as const,
    ),
  ];
  for (const [name, fields] of principals) {
    test(`${name}: lets in exactly where the matrix says so`, async () => {
      const gateway = await open();
      try {
        let key: string | undefined;
        for (const [index, row] of rows.entries()) {
          if (fields !== undefined && index % callsOfKey === 0) key = await gateway.createKey(fields);
          const verdict = await verdictOf(gateway, row, key);
          strictEqual(verdict, expected(row, fields), `${row.id} with ${name}`);
        }
      } finally {
        await gateway.stop();
      }
    });
  }
}

function expected(row: Row, fields: Partial<ApiKey> | undefined): Verdict {
  if (fields === undefined) return 'keyless';
  if (fields.kind !== 'management') return row.access === 'management' ? 'refused' : 'in';
  if (row.access === 'inference') return 'refused';
  const changes = row.method !== 'GET';
  if (changes && fields.scopes != null) return 'refused';
  return mayUse(row.id, fields.role ?? 'owner', changes) ? 'in' : 'role';
}

function mayUse(id: string, role: Role, changes: boolean): boolean {
  const permission = Object.keys(operations).find((one) => operations[one]?.includes(id)) ?? '';
  const reach = matrix[permission]?.[roles.indexOf(role)] ?? '-';
  return changes ? reach === 'W' : reach !== '-';
}

/** What a real call of a row with a key comes to: whether it got past the doors, and which of them held it. */
async function verdictOf(gateway: TestGateway, row: Row, key: string | undefined): Promise<Verdict> {
  const path = row.path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000');
  const leave = new AbortController();
  const answer = await fetch(gateway.url + path, {
    method: row.method,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      'content-type': 'application/json',
    },
    ...(row.method !== 'GET' && row.method !== 'DELETE' && { body: '{}' }),
    signal: leave.signal,
  });
  try {
    if (answer.status === 401) return 'keyless';
    ok(answer.status < 500, `${row.id}: ${answer.status}`);
    if (answer.status !== 403) return 'in';
    const { metadata } = ((await answer.json()) as RefusedAnswer).error;
    return metadata?.permission === undefined ? 'refused' : 'role';
  } finally {
    // What watches never ends by itself.
    leave.abort();
  }
}

interface RefusedAnswer {
  readonly error: { readonly metadata?: { readonly permission?: string } };
}
