import { get } from '../../api/client.ts';
import { principal } from '../../api/session-state.ts';
import { useQuery } from '../../state/query.ts';
import { choice, choose } from '../../state/url.ts';
import { plain } from '../../text/format.ts';

/** Which account an operator looks at; a field for its id where there are more than a list holds. */
export function AccountChoice() {
  const own = principal.value?.account;
  const found = useQuery(['accounts'], (signal) => get('/accounts', { query: { limit: 100 }, signal }));
  const accounts = found.data?.data ?? [];
  const chosen = choice('account') ?? own?.id ?? '';
  const onChange = (id: string) => choose({ account: id === own?.id || id === '' ? undefined : id });
  if (found.data !== undefined && found.data.next !== null) {
    return (
      <input
        class="field search"
        aria-label="Account id"
        placeholder="Account id…"
        value={chosen}
        onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
      />
    );
  }
  if (accounts.length < 2) return null;
  return (
    <select
      class="select inline account-choice"
      aria-label="Account shown"
      value={chosen}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    >
      {accounts.map(({ id, name }) => (
        <option key={id} value={id} selected={id === chosen}>
          {plain(name)}
          {id === own?.id ? ' (yours)' : ''}
        </option>
      ))}
    </select>
  );
}
