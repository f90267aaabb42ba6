import type { Model } from '../../../clients/headgate-api.ts';
import { choice, choose } from '../../state/url.ts';
import { plain, short } from '../../text/format.ts';

/** What the list of models is narrowed by; the names are those of the interface. */
export const filterNames = [
  'input_modalities',
  'max_price',
  'context',
  'supported_parameters',
  'zdr',
] as const;

/** Takes away every filter and the words that are searched for. */
export const noFilters = Object.fromEntries([...filterNames, 'q'].map((name) => [name, undefined]));

const kinds = { image: 'pictures', file: 'files', audio: 'audio', video: 'video' };
const contexts = [16_000, 32_000, 64_000, 128_000, 200_000, 500_000, 1_000_000];
const prices = ['0', '0.1', '0.25', '0.5', '1', '2', '5', '10'];

/** The filters of the list of models, all in the address. @param models Those of the whole list. */
export function ModelFilters({ models }: { readonly models: readonly Model[] }) {
  const parameters = new Set(models.flatMap(({ supported_parameters: names }) => names));
  return (
    <div class="row" role="group" aria-label="Filters">
      <Choice name="input_modalities" label="Reads" any="Any input" options={Object.entries(kinds)} />
      <Choice
        name="max_price"
        label="Input price at most"
        any="Any price"
        options={prices.map((price) => [price, price === '0' ? 'free input' : `input ≤ $${price} /M`])}
      />
      <Choice
        name="context"
        label="Context at least"
        any="Any context"
        options={contexts.map((tokens) => [String(tokens), `context ≥ ${short(tokens)}`])}
      />
      <Choice
        name="supported_parameters"
        label="Supports the parameter"
        any="Any parameter"
        options={[...parameters].toSorted().map((name) => [name, name])}
      />
      <label class="row zdr">
        <input
          type="checkbox"
          checked={choice('zdr') === 'true'}
          onChange={({ currentTarget }) => choose({ zdr: currentTarget.checked ? 'true' : undefined })}
        />
        Zero data retention
      </label>
    </div>
  );
}

interface ChoiceProps {
  readonly name: (typeof filterNames)[number];
  readonly label: string;
  /** What stands there while nothing is chosen. */
  readonly any: string;
  readonly options: readonly (readonly [value: string, label: string])[];
}

function Choice({ name, label, any, options }: ChoiceProps) {
  const value = choice(name) ?? '';
  const isListed = value === '' || options.some(([one]) => one === value);
  return (
    <select
      class="select filter-choice"
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => choose({ [name]: currentTarget.value })}
    >
      <option value="">{any}</option>
      {options.map(([one, text]) => (
        <option key={one} value={one}>
          {plain(text)}
        </option>
      ))}
      {/* Whoever writes an address by hand may ask for anything. */}
      {!isListed && <option value={value}>{plain(value)}</option>}
    </select>
  );
}
