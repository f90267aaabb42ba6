import type { Guardrail } from '../../../clients/headgate-api.ts';
import { get } from '../../api/client.ts';
import { CallFailure } from '../../api/errors.ts';
import { principal } from '../../api/session-state.ts';
import { useQuery } from '../../state/query.ts';
import { choice } from '../../state/url.ts';

/** The guardrails of the chosen workspace, or of all, and those of the configuration file; at most a hundred each. */
export function useGuardrails() {
  const chosen = choice('workspace');
  const asked = (principal.value?.workspaces ?? [])
    .map(({ id }) => id)
    .filter((id) => chosen === undefined || id === chosen);
  return useQuery(
    ['guardrails', principal.value?.n, asked],
    async (signal): Promise<readonly Guardrail[]> => {
      const lists = await Promise.all(
        asked.map((id) => get('/guardrails', { query: { workspace_id: id, limit: 100 }, signal })),
      );
      // Those of the file are in the list of every workspace.
      return [...new Map(lists.flatMap(({ data }) => data).map((one) => [one.id, one])).values()];
    },
    { every: 60_000 },
  );
}

/** One guardrail. */
export function useGuardrail(id: string) {
  return useQuery(
    ['guardrail', principal.value?.n, id],
    async (signal) => (await get('/guardrails/{id}', { params: { id }, signal })).data,
  );
}

/** The keys that have a guardrail of their own. */
export function useKeysOf(id: string) {
  return useQuery(
    ['guardrail-keys', principal.value?.n, id],
    async (signal) =>
      (await get('/guardrails/{id}/assignments/keys', { params: { id }, query: { limit: 100 }, signal }))
        .data,
  );
}

/** The members of the organization that have a guardrail of their own. */
export function useMembersOf(id: string) {
  return useQuery(
    ['guardrail-members', principal.value?.n, id],
    async (signal) =>
      (await get('/guardrails/{id}/assignments/members', { params: { id }, query: { limit: 100 }, signal }))
        .data,
  );
}

/** The members of the organization, at most a hundred; undefined for a personal account, which has none. */
export function useMembers() {
  return useQuery(['guardrail-candidates', principal.value?.n], async (signal) => {
    try {
      return { members: (await get('/organization/members', { query: { limit: 100 }, signal })).data };
    } catch (error) {
      if (error instanceof CallFailure && error.status === 404) return { members: undefined };
      throw error;
    }
  });
}

/** The phrases of the account that are no prompt injection. */
export function usePhrases() {
  return useQuery(
    ['allowed-phrases', principal.value?.n],
    async (signal) => (await get('/guardrails/allowlist', { signal })).data,
  );
}
