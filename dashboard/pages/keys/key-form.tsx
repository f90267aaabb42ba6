import type { Key } from '../../../clients/headgate-api.ts';
import { principal } from '../../api/session-state.ts';
import { LinesField } from '../../parts/lines-field.tsx';
import { zone } from '../../state/preferences.ts';
import { plain } from '../../text/format.ts';
import { fullDay } from '../../text/time.ts';

/** What both creating and changing a key send. */
export interface KeySettings {
  readonly name: string;
  readonly limit: number | null;
  readonly limit_reset: 'daily' | 'weekly' | 'monthly' | null;
  readonly include_byok_in_limit: boolean;
  readonly rates: {
    readonly requests_per_minute: number | null;
    readonly tokens_per_minute: number | null;
  } | null;
  readonly parallel: number | null;
  readonly allowed_models: readonly string[] | null;
  readonly allowed_ips: readonly string[] | null;
}

/** Reads the fields of the form. */
export function readKeyForm(form: HTMLFormElement): KeySettings {
  const data = new FormData(form);
  const text = (name: string) => String(data.get(name) ?? '').trim();
  const number = (name: string) => (text(name) === '' ? null : Number(text(name)));
  const lines = (name: string) => {
    const all = text(name)
      .split(/[\s,]+/)
      .filter(Boolean);
    return all.length === 0 ? null : all;
  };
  const limit = number('limit');
  const reset = text('limit_reset');
  const [requests, tokens] = [number('requests_per_minute'), number('tokens_per_minute')];
  return {
    name: text('name'),
    limit,
    limit_reset:
      limit !== null && (reset === 'daily' || reset === 'weekly' || reset === 'monthly') ? reset : null,
    include_byok_in_limit: data.get('include_byok_in_limit') !== null,
    rates:
      requests === null && tokens === null
        ? null
        : { requests_per_minute: requests, tokens_per_minute: tokens },
    parallel: number('parallel'),
    allowed_models: lines('allowed_models'),
    allowed_ips: lines('allowed_ips'),
  };
}

const resets = [
  ['', 'never'],
  ['daily', 'every day'],
  ['weekly', 'every week'],
  ['monthly', 'every month'],
] as const;

const lifetimes = [
  [1, 'in a day'],
  [7, 'in a week'],
  [30, 'in 30 days'],
  [90, 'in 90 days'],
  [365, 'in a year'],
] as const;

/** The fields of a key; with `value` those of one that exists. */
export function KeyFields({ value }: { readonly value?: Key }) {
  const { workspaces = [] } = principal.value ?? {};
  return (
    <>
      <label class="label">
        Name
        <input
          class="field"
          name="name"
          required
          maxLength={200}
          autocomplete="off"
          defaultValue={value?.name ?? ''}
          placeholder="such as reporting-job"
        />
      </label>
      {value === undefined && workspaces.length > 1 && (
        <label class="label">
          Workspace
          <select class="select" name="workspace_id">
            {workspaces.map(({ id, name }) => (
              <option key={id} value={id}>
                {plain(name)}
              </option>
            ))}
          </select>
        </label>
      )}
      <div class="field-pair">
        <label class="label">
          Limit in USD
          <input
            class="field"
            name="limit"
            type="number"
            min="0"
            step="any"
            inputMode="decimal"
            defaultValue={value?.limit ?? ''}
            placeholder="no limit"
          />
        </label>
        <label class="label">
          Resets
          <select class="select" name="limit_reset">
            {resets.map(([name, label]) => (
              <option
                key={name}
                value={name}
                selected={name === (value === undefined ? 'monthly' : (value.limit_reset ?? ''))}
              >
                {label}
              </option>
            ))}
          </select>
        </label>
      </div>
      {value !== undefined && (
        <p class="hint">
          {value.expires_at == null ? 'Never expires.' : `Expires on ${fullDay(value.expires_at, zone())}.`}{' '}
          This is set when a key is created and cannot be changed later.
        </p>
      )}
      {value === undefined && (
        <label class="label">
          Expires
          <select class="select" name="expires">
            <option value="">never</option>
            {lifetimes.map(([days, words]) => (
              <option key={days} value={days}>
                {words} ({fullDay(Date.now() + days * 86_400_000, zone())})
              </option>
            ))}
          </select>
          <span class="hint">Cannot be changed later</span>
        </label>
      )}
      <details>
        <summary>Rates, models and addresses</summary>
        <div class="stack more-fields">
          <MoreFields {...(value === undefined ? {} : { value })} />
        </div>
      </details>
    </>
  );
}

function MoreFields({ value }: { readonly value?: Key }) {
  return (
    <>
      <div class="field-pair">
        <label class="label">
          Requests a minute
          <input
            class="field"
            name="requests_per_minute"
            type="number"
            min="1"
            step="1"
            defaultValue={value?.rates?.requests_per_minute ?? ''}
            placeholder="any"
          />
        </label>
        <label class="label">
          Tokens a minute
          <input
            class="field"
            name="tokens_per_minute"
            type="number"
            min="1"
            step="1"
            defaultValue={value?.rates?.tokens_per_minute ?? ''}
            placeholder="any"
          />
        </label>
      </div>
      <label class="label">
        Requests at the same time
        <input
          class="field"
          name="parallel"
          type="number"
          min="1"
          step="1"
          defaultValue={value?.parallel ?? ''}
          placeholder="any"
        />
      </label>
      <LinesField
        label="Models"
        name="allowed_models"
        values={value?.allowed_models}
        hint="One a line, such as acme/atlas-4 or acme/*"
      />
      <LinesField
        label="Client addresses"
        name="allowed_ips"
        values={value?.allowed_ips}
        hint="One a line, such as 10.0.0.0/8"
      />
      <label class="row">
        <input
          type="checkbox"
          name="include_byok_in_limit"
          defaultChecked={value?.include_byok_in_limit ?? false}
        />
        Requests on own credentials count towards the limit
      </label>
    </>
  );
}
