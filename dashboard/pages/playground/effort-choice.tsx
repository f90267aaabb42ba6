import { useModels } from '../../state/models.ts';
import { offeredEfforts } from './offered-efforts.ts';

interface EffortChoiceProps {
  /** The models that get the effort, as typed. */
  readonly models: readonly string[];
  readonly value: string;
  readonly onChange: (effort: string) => void;
}

/** How much a model shall reason: the efforts that it knows, and what was chosen for another one. */
export function EffortChoice({ models, value, onChange }: EffortChoiceProps) {
  const listed = useModels();
  const { efforts, usual } = offeredEfforts(models, listed.data?.data ?? []);
  const isOffered = value === '' || efforts.includes(value);
  return (
    <label class="label">
      Reasoning
      <select class="select" value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="">
          {efforts.length === 0
            ? 'does not reason'
            : usual === undefined
              ? "the model's"
              : `the model's: ${usual}`}
        </option>
        {efforts.map((effort) => (
          <option key={effort} value={effort}>
            {effort}
          </option>
        ))}
        {!isOffered && <option value={value}>{value} (not known to it)</option>}
      </select>
    </label>
  );
}
