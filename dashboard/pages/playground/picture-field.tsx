import { useRef, useState } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import { bytes, plain } from '../../text/format.ts';
import { pictureTypes } from '../../text/markup.ts';
import { attach, detach, pictures } from './pictures.ts';

/** The pictures of the prompt: chosen here, or pasted and dropped into the prompt. */
export function PictureField() {
  const [fault, setFault] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const add = async () => {
    setFault(await attach([...(input.current?.files ?? [])]));
    if (input.current !== null) input.current.value = '';
  };
  return (
    <div class="stack">
      <div class="row">
        <input
          ref={input}
          class="hidden"
          type="file"
          multiple
          tabIndex={-1}
          accept={pictureTypes.join(',')}
          aria-label="Picture files"
          onChange={() => void add()}
        />
        <button type="button" class="button small" onClick={() => input.current?.click()}>
          <Icon name="plus" /> Picture
        </button>
        {pictures.value.map(({ name, size, data }, index) => (
          <span key={index} class="chip attached">
            <img src={data} alt="" />
            <span class="cut">
              {plain(name)} <span class="muted">{bytes(size)}</span>
            </span>
            <button type="button" aria-label={`Remove ${plain(name)}`} onClick={() => detach(index)}>
              <Icon name="close" />
            </button>
          </span>
        ))}
      </div>
      {fault !== undefined && (
        <p class="note bad" role="alert">
          {plain(fault)}
        </p>
      )}
    </div>
  );
}
