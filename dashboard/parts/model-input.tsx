import { useId } from 'preact/hooks';
import { useModels } from '../state/models.ts';

interface ModelInputProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** What stands there while it is empty. */
  readonly placeholder?: string;
}

/** A field for a model, with suggestions; variants and patterns may be typed. */
export function ModelInput({ label, value, onChange, placeholder = 'maker/model' }: ModelInputProps) {
  const id = useId();
  const models = useModels();
  return (
    <>
      <input
        class="field mono"
        aria-label={label}
        list={id}
        value={value}
        spellcheck={false}
        autocomplete="off"
        placeholder={placeholder}
        onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
      />
      <datalist id={id}>
        {models.data?.data.map(({ id: model, name }) => (
          <option key={model} value={model}>
            {name}
          </option>
        ))}
      </datalist>
    </>
  );
}
